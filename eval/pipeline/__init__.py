"""Runs under Ray: generate and judge, streaming and resumable."""
