"""Settings by concern and by kind of installation."""
