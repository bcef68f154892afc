"""What the command palette finds. How it is ranked by use, the browser knows."""
