"""Sentences of the pages that state something, each with a test that asks another way (X12)."""
