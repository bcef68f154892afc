"""Foreign text in the form in which others may read it."""
