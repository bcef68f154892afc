"""Settings of `make dev`: templates and styles are read anew for each request, errors are shown.

Otherwise they are those of `make run`. The terminal shows whole error messages, which may quote
what somebody wrote: use it with the demo, not with real memories.
"""

from config.settings.local import *
from config.settings.local import HASHED
from config.settings.local import TEMPLATES as _KEPT

_PLAIN = "django.contrib.staticfiles.storage.StaticFilesStorage"

# The same loaders without the cache around them.
_outer, [(_, _loaders)] = _KEPT[0]["OPTIONS"]["loaders"][0]
TEMPLATES = [{**_KEPT[0], "OPTIONS": {**_KEPT[0]["OPTIONS"], "loaders": [(_outer, _loaders)]}}]
# Nothing is collected: a style has its plain name and is read for each request.
STORAGES = {**HASHED, "staticfiles": {"BACKEND": _PLAIN}}
STATIC_ROOT = None
WHITENOISE_AUTOREFRESH = True
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"terminal": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["terminal"], "level": "WARNING"},
    # Django's server writes a line for each request by itself.
    "loggers": {"django.server": {"level": "INFO"}},
}
