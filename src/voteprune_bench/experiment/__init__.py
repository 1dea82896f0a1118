"""The paper's experiments: data sets, pools of classifiers, folds, and a grid of tasks to run.

`records` is what a run leaves behind and what a report reads.
"""

from .records import Failure, Record, read_failures, read_records

__all__ = ["Failure", "Record", "read_failures", "read_records"]
