"""Tuning weights of a decoder towards any metric, on n-best lists: MERT, PRO and k-best MIRA.

>>> from mtassay.tuning.mert import mert
"""
