"""AlgoPuzzleVQA (arXiv 2403.03864): 18 kinds of algorithmic picture puzzles."""
