"""Rate limits; 0 switches a limit off."""

import environ

env = environ.Env()

# The number of our own proxies; this many entries at the end of X-Forwarded-For are trusted.
TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=0)

# Calls a minute, where nothing else is said. Each bucket holds a minute's calls, so a burst of that
# size is allowed.
LIMITS = {
    # One robot's key, or one person's session at the API.
    "key-reads": env.int("KEY_READS_PER_MINUTE", default=12_000),
    "key-writes": env.int("KEY_WRITES_PER_MINUTE", default=12_000),
    # All keys and people of an organisation together.
    "organisation-reads": env.int("ORGANISATION_READS_PER_MINUTE", default=60_000),
    "organisation-writes": env.int("ORGANISATION_WRITES_PER_MINUTE", default=60_000),
    # One account's pages.
    "pages": env.int("PAGES_PER_MINUTE", default=1_200),
    # Callers without a key and a session, by address.
    "address": env.int("ADDRESS_CALLS_PER_MINUTE", default=1_200),
    # Wrong keys, by address.
    "wrong-keys": env.int("WRONG_KEYS_PER_MINUTE", default=60),
    # Addresses that one member of support looks up in an hour, found or not.
    "support-look-ups": env.int("SUPPORT_LOOK_UPS_PER_HOUR", default=20),
}
# What an organisation may send in a day, in bytes of request bodies.
ORGANISATION_BYTES_PER_DAY = env.int("ORGANISATION_BYTES_PER_DAY", default=50_000_000_000)
