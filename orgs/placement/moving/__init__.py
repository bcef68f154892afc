"""Moving an organisation to another database server while it works (docs/adr/0074-moving.md)."""
