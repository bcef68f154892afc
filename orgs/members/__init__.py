"""Members: invited, given a role, removed, and what they decide for themselves."""
