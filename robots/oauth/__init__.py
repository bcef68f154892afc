"""OAuth for hosted assistants: clients, the leave that a member gives them, and their tokens."""
