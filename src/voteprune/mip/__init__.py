"""Integer programs: the paper's model, the merged one, and how a solver is asked and recounted."""
