"""Erasing members, memories and sources everywhere."""
