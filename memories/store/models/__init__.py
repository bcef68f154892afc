"""The tables of memories, and the words that their columns are made of."""
