"""Rules that find what is somebody's alone in a text. Not what is done about it (gate)."""
