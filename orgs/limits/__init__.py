"""Who may ask how often: by key, account, organisation and address."""
