"""`python -m commonmind` is the command `commonmind`."""

from commonmind.cli import main

main()
