"""Repairs of surfaces that are not valid, and substitutes for them, as the caller allows."""
