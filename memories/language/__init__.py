"""Pure rules of text, mostly English. No database, no clock, no model."""
