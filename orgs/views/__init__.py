"""Pages of signing in and accounts, and the gate in front of every page."""
