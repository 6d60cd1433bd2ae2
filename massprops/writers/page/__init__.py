"""Reports as one HTML file: numbers, findings, and a view of the geometry that opens offline."""
