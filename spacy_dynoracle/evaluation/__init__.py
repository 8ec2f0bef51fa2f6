"""Scores of trees and of parses of raw text."""
