"""Tables and plots. Nothing is computed here."""
