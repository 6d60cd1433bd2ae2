"""Mesh formats: a module has `read(file: InputFile) -> MeshSource`; the registry is `massprops.formats.registry`."""
