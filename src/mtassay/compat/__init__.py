"""Drop-in replacements for other tools: thin layers with their public interface on the packages of mtassay."""
