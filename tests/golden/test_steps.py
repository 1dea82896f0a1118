"""Provers go the way they went: step for step, where the same libraries calculate on such a CPU.

A change of the way that is meant is written anew with `python tests/golden/write.py steps`.
"""

import json

import pytest

from golden.runs import HERE
from golden.step_runs import NUMBERS, STEPS, bits, made_with, walk
from golden.steps import differences

WRITTEN = json.loads((HERE / "steps.json").read_text())
LIKE_WRITTEN = made_with() == WRITTEN["made with"]


@pytest.mark.parametrize("name", STEPS)
def test_a_run_takes_the_steps_that_it_took(name):
    """Elsewhere what is proved to be the best is as good."""
    found, written = walk(name), WRITTEN[name]
    if LIKE_WRITTEN:
        assert differences(found, written) == []
    else:
        assert firm(found["ends"]) == pytest.approx(firm(written["ends"]), rel=3e-6)


def firm(ends):
    """The value that a run ends with, if it tells one; twins may take turns in committees."""
    if isinstance(ends[0], str):
        return ends[2]
    return ends[1] if isinstance(ends[1], float) else 0.0


@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_rounded_to_the_safe_side_is_what_it_was_to_the_last_bit(name):
    found = [float.fromhex(number) for number in bits(name)["bits"]]
    written = [float.fromhex(number) for number in WRITTEN[name]["bits"]]
    assert found == (written if LIKE_WRITTEN else pytest.approx(written, rel=1e-9, nan_ok=True))


def test_all_that_is_written_is_run():
    assert set(WRITTEN) == {"made with", *STEPS, *NUMBERS}
