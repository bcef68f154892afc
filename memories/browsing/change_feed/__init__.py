"""The feed of changes, by which a copy of what somebody reads is kept; it holds no text."""
