"""Conversations from files of JSON lines."""
