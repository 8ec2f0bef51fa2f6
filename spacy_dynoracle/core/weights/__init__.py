"""Weights of features: while they are trained and frozen."""
