"""The methods by name: one exact strategy for every kind of objective, and all others."""
