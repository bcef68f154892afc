"""Robots, people and conversations over HTTP. A view makes one call; no rule lives here."""
