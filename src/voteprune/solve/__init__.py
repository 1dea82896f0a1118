"""From a request to an answer: check it, run the method, recount, explain."""
