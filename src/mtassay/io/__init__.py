"""Opening inputs and writing outputs, independent of formats."""
