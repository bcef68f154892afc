"""Two texts beside each other: whether they are the same, contradict, or replace one another."""
