"""The capabilities over HTTP. A view makes one call; no rule lives here."""
