"""The interchangeable ways to search one store. What may be read is decided by the database."""
