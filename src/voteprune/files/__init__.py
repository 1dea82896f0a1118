"""Files: written whole or not at all, strict JSON in, harmless JSON out."""
