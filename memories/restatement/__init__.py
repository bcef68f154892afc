"""What a turn says on its own: rules, an optional language model, and what holds its answers."""
