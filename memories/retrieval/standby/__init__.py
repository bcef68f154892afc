"""The search of a recall or a context on the standby, and its confirmation on the primary. Whether
the standby may be asked is `orgs.database.standby`."""
