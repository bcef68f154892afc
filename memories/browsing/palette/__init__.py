"""The search of the command palette. The browser ranks results by use."""
