"""Models: their configs, families, weights."""
