"""What all pages share: the style sheet, the colours, and pictures that turn with them."""
