"""CoNLL-U: reading, writing, checking, and conversion to `Doc`."""
