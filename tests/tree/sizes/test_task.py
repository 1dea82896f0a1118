"""A step of a proof claims nothing that it was not given."""

from voteprune.bounds.node import FREE
from voteprune.tree.sizes.task import Step


def test_a_step_is_empty_but_for_its_number_and_node():
    step = Step(4, 2)
    assert (step.number, step.node, step.rows, step.at) == (4, 2, (), (0, 0))
    assert (step.decided, step.heirs) == ((), ())
    assert step.prices.shape == (0,)
    assert step.closed.shape == (0, 3)
    assert step.closed.dtype.kind == "i"


def test_what_is_open_is_written_as_it_always_was():
    """Files of earlier releases have this number for it."""
    assert FREE == -1
