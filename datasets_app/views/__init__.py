"""Pages, one module per noun."""
