"""Rules that find what would steer a model that reads a text. Not what is done about it (gate)."""
