"""Who may read and change a memory, and what members decided about themselves."""
