"""Settings of the test suite: real Postgres and Valkey, a fake encoder, no pool."""

from config.settings.accounts import shared_counts
from config.settings.base import *
from config.settings.services import celery, databases, env

SECRET_KEY = "only-for-tests-" + "x" * 40
DATABASES = databases(pool_size=0)
# A thread that answers a browser keeps its connections, as a pool would.
for _database in DATABASES.values():
    _database["CONN_MAX_AGE"] = None
# Each test process has its own Valkey database, because tests clear their counts.
_worker = env.str("PYTEST_XDIST_WORKER", default="gw0").removeprefix("gw")
REDIS_URL = "{}/{}".format(
    env.str("REDIS_URL").rsplit("/", 1)[0], 1 + int(_worker) % 14 if _worker.isdigit() else 0
)
globals().update(celery(REDIS_URL))
CACHES = shared_counts(REDIS_URL)
ENCODER = "fake"
RERANKER = "fake"
ENCRYPTION_KEYS = ["MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="]
ENCRYPTION_KEY_FILE = ""
# No limits for tests; tests of limits set their own.
LIMITS = dict.fromkeys(LIMITS, 0)
ORGANISATION_BYTES_PER_DAY = 0
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_AUTOREFRESH = True
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
