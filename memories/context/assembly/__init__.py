"""What a prompt gets: pieces of the sources, fitted into a budget and fenced as data."""
