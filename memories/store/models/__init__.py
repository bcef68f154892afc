"""The tables of memories, and the choices of their columns."""
