"""The capabilities as pages. A view makes one call; no rule lives here."""
