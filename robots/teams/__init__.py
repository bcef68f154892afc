"""Teams of robots: who is in one, who leads it, and what all of it reads."""
