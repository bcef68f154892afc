"""Pages of decisions and their dissents. A view makes one call; no rule is implemented here."""
