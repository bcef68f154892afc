"""Settings for `make run` and for commands typed beside it.

The running services write their addresses to DATA_DIR/services.json and `make run` its port to
DATA_DIR/run.json; they fill what the environment leaves out, so that a command finds the same
database and prints the address at which the site really answers.
"""

import json
import os

from config.settings.base import *
from config.settings.base import DATA_DIR, HASHED, WEB_THREADS

_services = DATA_DIR / "services.json"
if not os.environ.get("DATABASE_URL") and _services.exists():
    for _name, _value in json.loads(_services.read_text()).items():
        os.environ.setdefault(_name, str(_value))

from config.settings.accounts import shared_counts  # noqa: E402
from config.settings.services import celery, databases, env  # noqa: E402

SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    # Only the commands that touch no session run without the services.
    SECRET_KEY = "commands-without-services-need-no-secret"  # noqa: S105
DATABASES = databases(pool_size=env.int("DATABASE_POOL_SIZE", default=WEB_THREADS))
REDIS_URL = env.str("REDIS_URL", default="")
globals().update(celery(REDIS_URL))
CACHES = shared_counts(REDIS_URL)
_run = DATA_DIR / "run.json"
if not os.environ.get("PUBLIC_URL") and not os.environ.get("PORT") and _run.exists():
    PUBLIC_URL = f"http://127.0.0.1:{json.loads(_run.read_text())['port']}"
# `make run` collects styles and scripts; before that they have their plain names.
STORAGES = HASHED
WHITENOISE_MANIFEST_STRICT = False
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
