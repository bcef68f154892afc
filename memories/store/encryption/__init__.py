"""Texts of sensitive rows as ciphertext, and the keys for that; no other folder knows a cipher."""
