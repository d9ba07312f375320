"""What every metric shares: Metric, Scorer, StatsTable, specifications, registry and signatures."""
