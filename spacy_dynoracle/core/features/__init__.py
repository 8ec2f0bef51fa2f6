"""Feature templates, which are data, and the extractor that applies them."""
