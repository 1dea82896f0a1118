"""Branch and cut over the decisions on patterns, with nogoods."""
