"""Soft committees: open nodes of their tree, shared by worker processes."""
