"""Calendars and mail of a member, handed in as files; what a context may tell of them."""
