"""Plane sections: rings chained, checked, nested, and summed into one section."""
