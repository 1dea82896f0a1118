"""Margins: every committee size bounded by dual prices, in rounds."""
