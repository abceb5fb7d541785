"""Rates over scores, and how sure they are."""
