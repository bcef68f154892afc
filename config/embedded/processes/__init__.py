"""Child processes of `make run`: started, watched, logged, ended. Database servers: servers."""
