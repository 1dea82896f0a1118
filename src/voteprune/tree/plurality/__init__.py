"""Branch and bound over the sizes of committees with more than two classes."""
