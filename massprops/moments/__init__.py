"""Integrals up to second order over simplices, what rounding does to them, and the same without rounding."""
