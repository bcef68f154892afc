"""Calendars and mailboxes that a member uploads as files, for contexts."""
