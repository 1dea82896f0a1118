"""Write the golden answers anew: `python tests/golden/write.py [family ...]`.

Do this only where answers are meant to change, and look at the difference before it is committed.
Files of formats (`files/`) are made where they are missing and never written over: what was once
on somebody's disk stays as it was.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from golden.kept import write_missing
from golden.runs import HERE, RUNS, as_text, versions, warm_up
from golden.step_runs import NUMBERS, STEPS, bits, made_with, walk


def main(families: list[str]) -> None:
    """Write the families named, or all; "steps" are one of them."""
    if "steps" in families or not families:
        walks = {name: walk(name) for name in STEPS} | {name: bits(name) for name in NUMBERS}
        (HERE / "steps.json").write_text(as_text({"made with": made_with()} | walks))
        if families == ["steps"]:
            return
    warm_up()
    for family in [name for name in families if name != "steps"] or RUNS:
        answers = {name: run() for name, run in RUNS[family].items()}
        (HERE / f"{family}.json").write_text(as_text(answers))
    (HERE / "versions.json").write_text(as_text({"written with": versions()}))
    write_missing()


if __name__ == "__main__":
    main(sys.argv[1:])
