"""Organisations and what they hold: groups, audiences, identities."""
