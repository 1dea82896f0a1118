"""Exact numbers: integers from decimals, sums that never overflow, signs of sums of roots."""
