"""Lemmas: rules that edit forms, and the choice among what they make of a form."""
