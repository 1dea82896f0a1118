"""One solve: how a method is run, and the incumbent with its bound."""
