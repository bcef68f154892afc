"""The command `commonmind`: the calls of the client for people and for scripts."""

from commonmind.cli.main import main

__all__ = ["main"]
