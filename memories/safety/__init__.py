"""Gates before a text reaches more people: what is personal, and what would steer a reading model.
Not who may read (access), nor what a curator decides afterwards (review)."""
