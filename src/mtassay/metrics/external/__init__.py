"""Scores of other programs as metrics: files and Python functions."""
