"""The strategies: interchangeable ways to search one store. The database decides what may be
read."""
