"""Limits of rate, where 0 means no limit, and of time and size for whoever connects."""

from config.settings.environment import env

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
    # Metadata of OAuth clients that is fetched for one account.
    "client-metadata": env.int("CLIENT_METADATA_PER_MINUTE", default=20),
    # Addresses that one member of support looks up in an hour, found or not.
    "support-look-ups": env.int("SUPPORT_LOOK_UPS_PER_HOUR", default=20),
}
# What an organisation may send in a day, in bytes of request bodies.
ORGANISATION_BYTES_PER_DAY = env.int("ORGANISATION_BYTES_PER_DAY", default=50_000_000_000)
# What a new organisation may keep; `manage.py set_quota` changes it for one that is there.
QUOTAS = {
    "memories": env.int("QUOTA_MEMORIES", default=0),
    # Of the texts of memories and messages, in UTF-8.
    "bytes": env.int("QUOTA_BYTES", default=0),
    # Without the built-in ones and those that are retired.
    "robots": env.int("QUOTA_ROBOTS", default=0),
    "groups": env.int("QUOTA_GROUPS", default=0),
}

# Seconds that a call may take, with its wait for a thread; then its statement is stopped.
REQUEST_SECONDS = env.float("REQUEST_SECONDS", default=30.0)
# Seconds for an answer that is made while it is sent: what a member takes along (/me/).
STREAM_SECONDS = env.float("STREAM_SECONDS", default=600.0)
# Such answers that one account has open at the same time in one web process.
STREAMS_PER_ACCOUNT = env.int("STREAMS_PER_ACCOUNT", default=2)
# Calls that wait for the end of a job (`Prefer: wait`) in one web process: of one robot or person,
# and of all.
JOB_WAITS_PER_CALLER = env.int("JOB_WAITS_PER_CALLER", default=20)
JOB_WAITS = env.int("JOB_WAITS", default=2_000)
# Documents that are read at the same time on one machine, each in a process that may take a
# gigabyte; one organisation has at most half of them.
DOCUMENT_PARSERS = max(2, env.int("DOCUMENT_PARSERS", default=2))
# Seconds within which the line and the headers of a request have to arrive, and their bytes.
HEADER_SECONDS = env.float("HEADER_SECONDS", default=15.0)
HEADER_MAX_BYTES = env.int("HEADER_MAX_BYTES", default=64 * 1024)
# Seconds for which an idle connection is kept. Longer than load balancers keep theirs (60 to 70),
# or one that is about to be used again is closed under a request.
KEEP_ALIVE_SECONDS = env.float("KEEP_ALIVE_SECONDS", default=75.0)
# Seconds for which a web process that is told to end goes on answering, and says that it will end,
# so that nobody is sent to it any more; 0: it ends at once.
DRAIN_SECONDS = env.float("DRAIN_SECONDS", default=0.0)
# A body has so many seconds, and one more for each so many bytes that have arrived.
BODY_SECONDS = env.float("BODY_SECONDS", default=20.0)
BODY_BYTES_PER_SECOND = env.int("BODY_BYTES_PER_SECOND", default=16 * 1024)
# Seconds within which a client has to read the next part of an answer, about 64 KB.
SEND_SECONDS = env.float("SEND_SECONDS", default=30.0)
# One request body may carry a batch of 1,000 memories, but not more than this many bytes; without a
# valid key or session so many.
REQUEST_BODY_MAX_BYTES = env.int("REQUEST_BODY_MAX_BYTES", default=64 * 1024 * 1024)
# Of a memory's text in UTF-8; at most a million, which is as much as an answer is prepared for.
MEMORY_MAX_BYTES = min(env.int("MEMORY_MAX_BYTES", default=32 * 1024), 1_000_000)
# Of the texts in one answer. A thousand of the longest kind would be a gigabyte in one process.
ANSWER_TEXTS_MAX_BYTES = env.int("ANSWER_TEXTS_MAX_BYTES", default=16_000_000)
UNKNOWN_BODY_MAX_BYTES = env.int("UNKNOWN_BODY_MAX_BYTES", default=1024 * 1024)
# All bodies that one web process holds: in memory, and what is long in temporary files.
BODIES_MAX_BYTES = env.int("BODIES_MAX_BYTES", default=256 * 1024 * 1024)
