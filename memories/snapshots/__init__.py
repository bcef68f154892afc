"""Snapshots: memories as lines of a file, and back. What a member takes along is in privacy."""
