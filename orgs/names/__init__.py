"""Rules of names: no I/O, no clock, no Django."""
