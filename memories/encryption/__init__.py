"""Memories made sensitive or plain, and their keys rotated. How a text is encrypted: store."""
