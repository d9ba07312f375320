"""Resampling, tests, intervals, correlations and rankings on plain arrays; knows no metric and no judgement."""
