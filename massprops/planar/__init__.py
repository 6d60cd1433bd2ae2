"""Rings in the plane: chained, checked, nested, and summed into one section."""
