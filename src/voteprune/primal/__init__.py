"""Finding committees: first guesses, tabu search on vote counts, trying all of them."""
