"""Personas and blocks over HTTP."""
