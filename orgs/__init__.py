"""Organisations, members, groups, audiences, accounts, and the database's own protection."""
