"""The winding number of a surface along lattices of lines: does it stay in {0, 1}?"""
