"""Bounds on the objective without integer programming: closure, linear programs, dual prices."""
