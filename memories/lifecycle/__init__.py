"""How memories fade, are forgotten and come back."""
