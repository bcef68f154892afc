"""What a member sees of themselves, takes along and withdraws; and break glass."""
