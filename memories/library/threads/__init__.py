"""Conversations as they are read: a thread of turns, and turns folded into one line of a list."""
