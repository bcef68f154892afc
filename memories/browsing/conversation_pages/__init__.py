"""Conversations for readers: a thread of turns, and turns folded into one line of a list."""
