"""Snapshots: export memories as lines of a file, and restore them. The personal export is in
privacy."""
