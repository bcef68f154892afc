"""Teams of robots."""
