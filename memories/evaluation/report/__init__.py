"""The figures as text, tables and charts."""
