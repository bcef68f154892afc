"""Restatements: turns that can be read on their own, by rules and an optional language model."""
