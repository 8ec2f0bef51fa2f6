"""Ranking of the candidate trees of a sentence by features of whole trees."""
