"""Memories: written, found, aged, curated, seen and withdrawn. Each folder is one capability."""
