"""Measures of quality, time, storage and leaks."""
