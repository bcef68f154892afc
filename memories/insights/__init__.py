"""Figures and the audit trail, as far as the asker may read them, and the data of support's
pages."""
