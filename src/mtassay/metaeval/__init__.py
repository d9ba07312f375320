"""Which metric to believe: correlation with people, and tests between metrics.

Works on plain arrays and knows neither files nor metrics. Gold has shape (systems, segments), or (systems,) at system
level; metrics have one axis more in front. Higher is better in both; NaN marks missing gold.
"""
