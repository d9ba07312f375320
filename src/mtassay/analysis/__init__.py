"""Where systems differ: words and segments by bucket, n-grams, examples; and what tests can find."""
