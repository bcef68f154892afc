"""From a draft to rows: placed, compared with what is there, written."""
