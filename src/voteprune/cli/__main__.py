"""``python -m voteprune.cli`` is the command ``voteprune`` where no script is installed."""

import sys

from .app import main

# Guarded, so that a tool which merely imports every module runs nothing.
if __name__ == "__main__":
    sys.exit(main())
