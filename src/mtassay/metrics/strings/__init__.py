"""Metrics that compare words or characters."""
