"""The pruning problem as a sparse integer program: the paper's model, and the merged one."""

from .merged import merged_model
from .model import Formulation, Model, ModelBuilder
from .paper import paper_model

__all__ = ["Formulation", "Model", "ModelBuilder", "merged_model", "paper_model"]
