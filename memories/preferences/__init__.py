"""What a member prefers, each a private memory with a form; robots read it by leave alone."""
