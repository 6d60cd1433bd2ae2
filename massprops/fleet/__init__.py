"""Many files: measured in several processes or on a cluster, and tables of the results that are continued by later runs."""
