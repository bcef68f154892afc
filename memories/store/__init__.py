"""Rows as they are kept: memories, versions, lineage, what counts as the same text."""
