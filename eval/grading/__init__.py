"""Answers graded: a program is judged, an option is read."""
