"""Charts of pages, as SVG with real text. They use the colours of the page, and need neither scripts nor libraries."""
