"""Gates before a text reaches more people: they look for personal data, and for text that would
steer a reading model. Not who may read (access), nor what a curator decides afterwards (review)."""
