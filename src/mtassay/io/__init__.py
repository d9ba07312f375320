"""Opening inputs and writing outputs; knows no format."""
