"""What is asked for, compiled to integers: objective, constraints, and the judge of committees."""
