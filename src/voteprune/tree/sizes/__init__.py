"""Branch and bound over committee sizes and thresholds (S, L)."""
