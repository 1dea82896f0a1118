"""Branch and bound: one driver for all proofs in rounds, and a package for each kind of tree."""
