"""Charts of pages, as SVG with real text: they take the colours of the page, and need neither script nor library."""
