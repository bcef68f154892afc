"""What a member sees, exports and withdraws of their own data; erasure; and break glass."""
