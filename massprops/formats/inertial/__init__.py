"""Inertials: the numbers of rigid bodies as texts state them, below every format that holds them."""
