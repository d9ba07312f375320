"""Public surfaces of other tools, thin, on the packages of mtassay."""
