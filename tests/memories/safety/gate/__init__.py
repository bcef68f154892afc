"""The gates where they stand: before memories, changes and answers."""
