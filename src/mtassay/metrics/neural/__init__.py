"""Metrics computed by neural models."""
