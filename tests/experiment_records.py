"""Records to test with."""

from voteprune.problem.confusion import Confusion
from voteprune_bench.experiment import Failure, Record


def record(**changes):
    parts = {
        "key": "0123456789abcdef",
        "dataset": "bcw",
        "seed": 10,
        "fold": 0,
        "pool_size": 40,
        "method": "F1",
        "objective": "accuracy",
        "status": "feasible",
        "termination": "time limit",
        "value": 0.75,
        "bound": 0.875,
        "n_validation": 8,
        "n_test": 4,
        "validation": Confusion(3, 1, 3, 1),
        "test": Confusion(2, 0, 1, 1),
        "threshold": 0,
        "members": (3, 12),
        "names": ("xgboost_4", "lightgbm_3"),
        "families": ("xgboost", "lightgbm"),
        "diversity": 0.5,
        "seconds": 1.5,
        "trace": ((0.25, 0.5, 1.0), (1.0, 0.75, 0.875)),
    }
    return Record(**{**parts, **changes})


def failure(**changes):
    parts = {
        "key": "0123456789abcdef",
        "dataset": "bcw",
        "seed": 10,
        "fold": 0,
        "pool_size": 40,
        "method": "F1",
        "reason": "FileFormatError: votes.csv.gz: is not a whole gzip file",
        "detail": "line 3",
    }
    return Failure(**{**parts, **changes})
