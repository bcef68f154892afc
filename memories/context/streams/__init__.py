"""The stream of a robot: its observations, reflections and insights, which it alone reads."""
