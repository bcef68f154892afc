"""Robots, their keys, whom they act for, and the conversations that they keep."""
