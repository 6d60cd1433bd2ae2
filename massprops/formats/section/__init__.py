"""Plane files: one module per format family, with `read(file: InputFile, request: Request) -> PlanarSource`."""
