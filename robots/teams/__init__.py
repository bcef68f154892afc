"""Teams of robots: who is in a team, who is active, and what all its robots read."""
