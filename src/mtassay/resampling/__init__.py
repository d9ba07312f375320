"""Weights, tests, intervals and correction for many comparisons; knows no metric, only statistics that add up."""
