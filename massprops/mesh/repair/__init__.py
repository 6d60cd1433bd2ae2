"""What may be measured of a surface that is not valid, where the caller asks for it by name."""
