"""Signing in: forms, sessions, adapters, counters of attempts."""
