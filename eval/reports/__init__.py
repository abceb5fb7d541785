"""What is said of a run, and of several."""
