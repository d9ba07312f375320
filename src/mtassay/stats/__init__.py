"""Resampling, tests, intervals, correlations and rankings on plain arrays, independent of metrics and judgements."""
