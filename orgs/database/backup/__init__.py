"""Backup and restore of the whole database and its files. Upper apps register what erases again."""
