"""The names that the gates know: members, and terms that curators add."""
