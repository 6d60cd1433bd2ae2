"""Files in and out: one module per format and one line in a registry."""
