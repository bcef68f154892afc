"""What support may look at and do: one organisation for a time, one account by its address."""
