"""Plane files: suffix to reader. A reader is `read(file: InputFile, request: Request) -> PlanarSource`, one module per format family."""

from __future__ import annotations

#: Suffix to ``module:function`` below `massprops.readers.planar`, imported when a file of the format is read.
READERS = {
    ".csv": "points:read",
    ".tsv": "points:read",
    ".txt": "points:read",
    ".xy": "points:read",
    ".dat": "airfoil:read",
    ".json": "json_rings:read",
    ".geojson": "geojson:read",
    ".wkt": "wkt:read",
    ".svg": "svg:read",
    ".dxf": "dxf:read",
}
