"""The algorithms; they know nothing of spaCy."""
