"""What support staff see in the admin: metadata of one organisation."""
