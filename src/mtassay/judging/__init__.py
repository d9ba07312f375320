"""Human judgements as arrays: gold, normalisation, methods that rank systems, rank ranges, quality control."""
