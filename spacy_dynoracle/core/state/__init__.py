"""Configurations, gold trees, sentences and labels."""
