"""`check`: files against their specification. `report` holds the results, `rules` the catalogue of findings."""
