"""Colours of the methods in all pictures."""

from voteprune.web.pictures import AMBER, GREEN, PROVED, VIOLET

METHODS = {"F1": PROVED, "F2": AMBER, "F3": GREEN, "F1-theta": VIOLET}
"""Colours of the paper's formulations; every other method is `GUESSED`."""
