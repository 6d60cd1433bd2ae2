"""The algebra of rigid bodies: mass, centre of mass, inertia, their representations and their laws."""
