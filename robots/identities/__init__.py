"""Identities of members on other platforms: linked, confirmed, proven."""
