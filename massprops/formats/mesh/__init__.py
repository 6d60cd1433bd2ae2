"""Mesh formats: a module has `read(file: InputFile) -> MeshFile`; the registry is `massprops.formats.registry`."""
