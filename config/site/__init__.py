"""What every page and every answer has in common: the frame, errors, rates, the documentation."""
