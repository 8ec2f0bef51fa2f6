"""How far the parser's probabilities can be trusted."""
