"""How a worker begins: with the one module it is for, not with all that the package offers.

Run by path, ``python boot.py module``. The package's own ``__init__`` brings scikit-learn and much
else that no worker needs; an empty package in its place halves the time until work begins.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

if __name__ == "__main__":
    package = ModuleType("voteprune")
    package.__path__ = [str(Path(__file__).resolve().parent.parent)]
    sys.modules["voteprune"] = package
    import_module("voteprune.solvers.worker").main(sys.argv[1])
