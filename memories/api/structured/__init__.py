"""Memories with a form of their own over HTTP: tasks and preferences."""
