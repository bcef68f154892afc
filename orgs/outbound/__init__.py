"""Calls to addresses that somebody else named, never into the server's own network."""
