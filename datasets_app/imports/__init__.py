"""Reading evaluation sets: one module per format, each turning a file into native items."""
