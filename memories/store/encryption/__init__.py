"""Encryption of the texts of sensitive rows, and its keys; no other folder uses a cipher."""
