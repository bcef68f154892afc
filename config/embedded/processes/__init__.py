"""Child processes of `make run`: started, watched, logged, ended. What they serve is in servers."""
