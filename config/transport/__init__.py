"""How a request comes in, waits, is watched and is answered, within bounds of time and size."""
