"""`check`: what is wrong with files, held against what was agreed about them. `result` is what comes out, `rules` what can be found."""
