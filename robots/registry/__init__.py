"""Robots: built in, registered, changed, and retired with their member."""
