"""A continuous archive of the database: base backups, the write-ahead log, restore to a moment."""
