"""A step of a proof claims nothing that it was not given."""

from voteprune.tree.sizes.task import Step


def test_a_step_is_empty_but_for_its_number_and_node():
    step = Step(4, 2)
    assert (step.number, step.node, step.rows, step.at) == (4, 2, (), (0, 0))
    assert (step.decided, step.heirs) == ((), ())
    assert step.prices.shape == (0,)
    assert step.closed.shape == (0, 3)
    assert step.closed.dtype.kind == "i"
