"""Decisions, their dissents and debates over HTTP. A view makes one call; no rule lives here."""
