"""Algorithms that find the best tree for scored arcs: Eisner and Chu-Liu/Edmonds."""
