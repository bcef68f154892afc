"""The pages. A view makes one call to a capability; no rule is implemented here."""
