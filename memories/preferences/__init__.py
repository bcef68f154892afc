"""Preferences of members: private memories with typed details, which robots read only by a
delegation."""
