"""A solver that takes a second to import, and then answers at once."""

import time

time.sleep(1)


def solve(question, report):
    """Answer what was asked."""
    return question
