"""Refuse a database role that row-level security does not bind."""
