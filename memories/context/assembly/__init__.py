"""The text for a prompt: pieces of the sources, fitted into a token budget and fenced as data."""
