"""Robots: built in, registered, looked after, closed with their member."""
