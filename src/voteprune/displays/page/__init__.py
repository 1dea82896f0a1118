"""A page for an answer: committee, proof, front, right and wrong, in one HTML file."""

from .page import render

__all__ = ["render"]
