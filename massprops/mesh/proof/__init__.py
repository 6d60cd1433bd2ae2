"""Proving that a surface is embedded: no two facets meet but along the edges and corners that they share."""
