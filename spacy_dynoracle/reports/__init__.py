"""Tables, pictures and tests of significance."""
