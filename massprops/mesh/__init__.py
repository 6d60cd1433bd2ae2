"""Triangulated surfaces: facets in chunks, what they bound, and whether that is certain."""
