"""A backup of the whole database and its files, and the way back. What erases again is above."""
