"""Members: invited, given a role, removed, erased, and what they decide for themselves."""
