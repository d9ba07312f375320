"""Tokenizers, one per module."""
