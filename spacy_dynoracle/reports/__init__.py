"""Tables and tests of significance."""
