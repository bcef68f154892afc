"""What becomes of what personas learned: it fades, trends, and is suggested to others."""
