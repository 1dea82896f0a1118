"""Soft committees: a few weighted members whose log-odds add up, with a bound that is proved."""
