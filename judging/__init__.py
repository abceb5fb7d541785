"""Run programs nobody trusts and say whether they are right."""
