"""Pruned committees as scikit-learn estimators.

One sentence: *a pool is read from what the user gave, its voters are asked on rows they were not
trained on, `prune` chooses among them, and only the chosen are fitted again.*
"""

from .classifier import PrunedVotingClassifier
from .export import to_onnx, to_voting_classifier
from .shrink import prune_ensemble

__all__ = ["PrunedVotingClassifier", "prune_ensemble", "to_onnx", "to_voting_classifier"]
