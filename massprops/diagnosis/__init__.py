"""Why an inertia is impossible or disagrees with its geometry, and the slip that would explain it."""
