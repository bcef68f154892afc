"""Pages of decisions and their dissents. A view makes one call; no rule lives here."""
