"""Commands about the whole service."""
