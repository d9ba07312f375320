"""Which metric to believe: correlation with people, and tests between metrics.

Most modules work on plain arrays and know neither files nor metrics. Gold has shape (systems, segments), or (systems,)
at system level; metrics have one axis more in front. Higher is better in both; NaN marks missing gold. ``gold`` and
``measured`` make these arrays from judgements and metrics, ``system_level``, ``segment_level`` and ``between`` compute
what is asked for by name, and ``evaluate`` puts all together: the verb ``metaeval``.
"""
