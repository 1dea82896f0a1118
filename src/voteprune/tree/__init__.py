"""Branch and bound: one driver for all proofs in rounds, and the two kinds of trees."""
