"""My memories, and break glass."""
