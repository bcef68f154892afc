"""Who may ask how often: by key, account, organisation and address; what waits behind an answer."""
