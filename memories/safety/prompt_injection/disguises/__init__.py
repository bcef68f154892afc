"""What hides the words of an order: other letters, wrong spelling, ciphers, codes. Pure."""
