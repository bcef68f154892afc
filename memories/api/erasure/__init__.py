"""Forgetting many and erasing for good over HTTP."""
