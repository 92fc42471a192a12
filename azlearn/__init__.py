"""azlearn: build AlphaZero step by step, and look inside every search."""
