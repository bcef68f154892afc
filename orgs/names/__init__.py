"""Rules of the registry: no I/O, no clock, no Django."""
