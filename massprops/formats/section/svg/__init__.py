"""SVG: outlines of the shapes of a drawing."""
