"""Feature templates (data) and the extractor (code)."""
