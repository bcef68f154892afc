"""Personas: empty so far."""
