"""What the API takes and gives: explicit and strict."""
