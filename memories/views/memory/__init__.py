"""The pages of one memory and of changes to it."""
