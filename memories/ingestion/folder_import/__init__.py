"""Folders on the server whose new files are imported each period, for an organisation."""
