"""Rankings: clusters of systems that no test tells apart, and how far two rankings agree."""
