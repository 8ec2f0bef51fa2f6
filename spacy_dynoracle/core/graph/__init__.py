"""Trees from scored arcs: Eisner, Chu-Liu/Edmonds."""
