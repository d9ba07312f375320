"""Where systems differ: words and segments by bucket, n-grams, examples; and the power of tests."""
