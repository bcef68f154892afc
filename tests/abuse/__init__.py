"""The dearest input that each address allows, and what it costs."""
