"""Ranks, times, room and leaks, measured and judged."""
