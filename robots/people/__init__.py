"""Groups, members and seats as callers and pages know them."""
