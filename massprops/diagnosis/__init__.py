"""Why an inertia is impossible or disagrees with its geometry, and the common mistake that would explain it."""
