"""Who somebody is on another platform: linked, confirmed, proven."""
