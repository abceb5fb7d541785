"""Run benchmarks; the only package that knows `serving` and `judging`."""
