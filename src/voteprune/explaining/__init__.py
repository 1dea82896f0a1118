"""The work behind `Solution.explain`: every figure recounted, every claim proved."""

from .explain import explain
from .reopen import check_reopened, reopen

__all__ = ["check_reopened", "explain", "reopen"]
