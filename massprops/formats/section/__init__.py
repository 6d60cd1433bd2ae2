"""Plane files: suffix to reader. A reader is `read(file: InputFile, request: Request) -> PlanarSource`, one module per format family."""

from __future__ import annotations

#: Suffix to ``module:function`` below `massprops.formats.section`, imported when a file of the format is read.
READERS = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".xy"), "point_tables:read"),
    ".dat": "airfoil:read",
    ".json": "json_rings:read",
    ".geojson": "geojson:read",
    ".wkt": "wkt:read",
    ".svg": "svg.document:read",
    ".dxf": "dxf:read",
}
