"""Whose words a text gives, and how a speaker is named."""
