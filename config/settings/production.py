"""Production: everything from the environment, nothing guessed, cookies only over TLS."""

from config.settings.accounts import shared_counts
from config.settings.base import *
from config.settings.base import HASHED, SILENCED_SYSTEM_CHECKS, WEB_THREADS
from config.settings.services import celery, databases, env, read_origin

SECRET_KEY = env.str("SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS")
PUBLIC_URL = read_origin("PUBLIC_URL")
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[PUBLIC_URL])
DATABASES = databases(pool_size=env.int("DATABASE_POOL_SIZE", default=WEB_THREADS))
REDIS_URL = env.str("REDIS_URL")
globals().update(celery(REDIS_URL))
CACHES = shared_counts(REDIS_URL)

SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31536000)
# Both also affect other names of the domain, and browsers remember them for a year: only the owner
# of the domain should switch them on.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.bool("SECURE_HSTS_PRELOAD", default=False)
SILENCED_SYSTEM_CHECKS = [*SILENCED_SYSTEM_CHECKS, "security.W005", "security.W021"]
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
STORAGES = HASHED
