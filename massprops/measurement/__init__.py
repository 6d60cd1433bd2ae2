"""From a source to a `Measurement`: the pipe, sections, assemblies, several processes."""
