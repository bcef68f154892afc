"""Conversations and messages: posted, read, withdrawn, and what is said in them by rule."""
