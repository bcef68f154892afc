"""How long a text is, in tokens."""
