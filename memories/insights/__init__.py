"""Figures and the audit trail, as far as the asker may read them, and what support may know."""
