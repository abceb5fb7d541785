"""The 18 puzzles of AlgoPuzzleVQA: each a state, a question about it, an exact solution, a picture, a description."""
