"""Settings that every deployment shares; the environment is read here."""

from pathlib import Path

from config import version
from config.monitoring.logs import logging_settings
from config.settings.accounts import *
from config.settings.accounts import APPS, form_targets
from config.settings.environment import env
from config.settings.limits import *
from config.settings.services import read_origin
from config.shared_metrics import make_given_folder
from memories.restatement.window_profile import DEFAULT, WindowProfile
from orgs.outbound.syslog import parse_server

VERSION: str = version.VERSION
make_given_folder()
# The base address of SCIM has no slash behind it, so its routes begin with one.
SILENCED_SYSTEM_CHECKS = ["urls.W002"]

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve()

DEBUG = False
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
PUBLIC_URL = read_origin("PUBLIC_URL", f"http://127.0.0.1:{env.str('PORT', default='8000')}")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "template_partials",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    *APPS,
    "orgs",
    "robots",
    "memories",
    "personas",
    "config",
]

MIDDLEWARE = [
    "config.monitoring.request_log.RequestLogMiddleware",
    "config.monitoring.probes.ProbesMiddleware",
    "config.site.standby_writes.StandbyWritesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.site.private_answers.PrivateAnswersMiddleware",
    "config.languages.page_language.PageLanguageMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "orgs.accounts.sessions.SignInRecordMiddleware",
    "config.site.api_key_header.ApiKeyHeaderMiddleware",
    "config.site.rate_limits.RateLimitMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.site.errors.PageErrorsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
# Threads of one web process; each may hold a connection to the database. One organisation, and one
# address without a key, gets at most half of them.
WEB_THREADS = env.int("WEB_THREADS", default=16)
# The Celery application, by name, because no app may import config.
TASK_SENDER = "config.celery.app"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "config.languages.translated_templates.LanguageCachedLoader",
                            [
                                "config.languages.translated_templates.TranslatedLoader",
                                "django.template.loaders.app_directories.Loader",
                            ],
                        )
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.site.navigation.navigation_context",
                "config.languages.script_words.script_words_context",
            ],
            # Replaces Django's own `truncatechars`.
            "builtins": ["orgs.views.excerpts"],
            "libraries": {"moments": "orgs.views.time_formats"},
        },
    }
]

LANGUAGE_CODE = "en"
# What the pages are whole in; answers for programs are English.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "config" / "languages" / "locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# The storages after collectstatic: files have a hash in their name and are cached for a year.
HASHED = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.site.static_files.HashedStaticStorage"},
}

AUTH_USER_MODEL = "orgs.User"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.site.errors.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'", *form_targets()],
        "frame-ancestors": ["'none'"],
    }
}

# JSON lines on stderr; LOG_LEVEL is that of our own loggers.
LOGGING = logging_settings(env.str("LOG_LEVEL", default="INFO"))
# Opens /metrics to callers who are not on this machine, as `Authorization: Bearer ...`.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
# The port on which a worker answers /metrics; 0 for none.
WORKER_METRICS_PORT = env.int("WORKER_METRICS_PORT", default=0)
# A collector of OpenTelemetry, to which spans are sent; without one none are made.
OTEL_EXPORTER_OTLP_ENDPOINT = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default="")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "robots.api.authentication.KeyAuthentication",
        "robots.api.authentication.MemberSessionAuthentication",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["orgs.limits.api_throttle.OrganisationThrottle"],
    "DEFAULT_PERMISSION_CLASSES": ["robots.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["orgs.api.json_format.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["orgs.api.json_format.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "orgs.api.schema.ProblemAutoSchema",
    "EXCEPTION_HANDLER": "orgs.api.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Commonmind",
    "DESCRIPTION": "Shared memory for AI agents and the people they work for.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "orgs.api.schema.add_document_schema",
    ],
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {
        "ContradictionPolicy": "orgs.models.organisations.ContradictionPolicy",
        "IngestProfile": "orgs.models.organisations.IngestProfile",
        "RecallProfile": ["balanced", "strength", "continuum", "hive"],
        "MemberRole": "orgs.models.memberships.Role",
        "MessageRole": "robots.models.conversations.MessageRole",
        "MemoryKind": "memories.store.models.choices.Kind",
        "MemoryType": "memories.store.models.choices.Type",
        "MemoryCategory": "memories.store.models.choices.Category",
        "MemoryTier": "memories.store.models.choices.Tier",
        "EntityType": "memories.knowledge_graph.models.EntityType",
        "AccountKind": "memories.context.connectors.models.AccountType",
        "StreamKind": ["observation", "reflection", "insight"],
        "MemoryLevel": "memories.store.models.choices.Level",
        "EntitySource": ["rules", "llm", "given"],
        "FactState": ["current", "outdated", "disputed", "superseded", "upcoming"],
        "MemoryStatus": "memories.store.models.choices.Status",
        "StatusInTeam": "robots.models.teams.TeamStatus",
        "PreferenceKind": [
            *("preference", "alert", "writing_style", "research_finding", "custom_instructions"),
        ],
        "DissentKind": [
            *("minor_quibble", "alternative_approach", "fundamental_disagreement"),
            *("edge_case_concern", "risk_warning", "abstention"),
        ],
        "DebateState": ["open", "closed"],
        "EnrolmentKeyState": ["open", "used_up", "ended", "revoked"],
        "ScopesEnum": "robots.models.keys.KeyScope",
        "NewcomerScope": ["read", "write", "act_for"],
        "Outcome": ["success", "failure"],
        "DecisionStatus": ["active", "pending_review", "quarantined", "archived", "forgotten"],
        "DecisionStrength": ["unanimous", "strong", "moderate", "weak", "split", "contested"],
        "TermKind": "memories.safety.models.TermType",
        "OnPersonalData": ["review", "sanitise"],
        "SuggestionState": "personas.models.suggestions.SuggestionState",
        "FormatEnum": ["commonmind-snapshot"],
        "ImportFormat": "memories.ingestion.file_import.formats.registry.FORMATS",
        "UploadFormat": "memories.ingestion.documents.read_document.FORMATS",
        "DocumentFormat": ["pdf", "docx", "html", "markdown"],
        "SourceStatus": ["ok", "empty", "off", "failed", "timed_out"],
    },
}

# How a conversation is cut into windows on its way in.
INGESTION = WindowProfile(
    window=env.int("INGEST_WINDOW", default=DEFAULT.window),
    overlap=env.int("INGEST_OVERLAP", default=DEFAULT.overlap),
    semantic_top_k=env.int("INGEST_SEMANTIC_TOP_K", default=DEFAULT.semantic_top_k),
    keyword_top_k=env.int("INGEST_KEYWORD_TOP_K", default=DEFAULT.keyword_top_k),
    structured_top_k=env.int("INGEST_STRUCTURED_TOP_K", default=DEFAULT.structured_top_k),
)

# A server with the OpenAI chat API, to which texts of whole groups are sent; without one rules are
# used instead.
LLM_URL = env.str("LLM_URL", default="")
LLM_MODEL = env.str("LLM_MODEL", default="")
LLM_KEY = env.str("LLM_KEY", default="")
LLM_TIMEOUT = env.int("LLM_TIMEOUT", default=60)
# The most requests of one run: whether two memories contradict, how a summary is worded.
LLM_PAIRS = env.int("LLM_PAIRS", default=50)
LLM_SUMMARIES = env.int("LLM_SUMMARIES", default=20)
# The most answers that it writes for one organisation in 24 hours; and its prices for a million
# tokens, by which they are counted.
LLM_ANSWERS = env.int("LLM_ANSWERS", default=1000)
LLM_PRICE_INPUT = env.float("LLM_PRICE_INPUT", default=0.0)
LLM_PRICE_OUTPUT = env.float("LLM_PRICE_OUTPUT", default=0.0)

# Keys that encrypt sensitive memories: base64 of 32 bytes each, the newest first; or a file with
# one a line. Without a key nothing sensitive is accepted.
ENCRYPTION_KEYS = env.list("ENCRYPTION_KEYS", default=[])
ENCRYPTION_KEY_FILE = env.str("ENCRYPTION_KEY_FILE", default="")

# Embedding model behind memories.embedding; "fake" is for tests.
ENCODER = env.str("ENCODER", default="minilm")
# Settings of that model; the defaults are in `memories.embedding.model_catalogue`.
NEAR_DUPLICATE_SIMILARITY = env.float("NEAR_DUPLICATE_SIMILARITY", default=None)
MEANING_FLOOR = env.float("MEANING_FLOOR", default=None)
ENCODER_THREADS = env.int("ENCODER_THREADS", default=2)
# The cross-encoder behind `rerank` of a recall ("fake" is for tests), and its time limit in
# seconds.
RERANKER = env.str("RERANKER", default="ms-marco-MiniLM-L-12-v2")
RERANK_SECONDS = env.float("RERANK_SECONDS", default=2.0)
# Days for which the log of operations (remember, recall, evict, forget) is kept.
OPERATIONS_DAYS = env.int("OPERATIONS_DAYS", default=90)
# After so many seconds without a sign of life a worker's work is given to another one.
WORK_LEASE_SECONDS = env.int("WORK_LEASE_SECONDS", default=300)
# Days for which a cursor of the feed of changes is taken; after that a copy begins anew.
CHANGES_DAYS = env.int("CHANGES_DAYS", default=30)
# Where webhooks may lead: to the public internet by https. The only hosts, unless empty; hosts that
# may also have addresses in a private network; and whether http is allowed.
WEBHOOK_HOSTS = frozenset(one.lower() for one in env.list("WEBHOOK_HOSTS", default=[]))
WEBHOOK_PRIVATE_HOSTS = frozenset(
    one.lower() for one in env.list("WEBHOOK_PRIVATE_HOSTS", default=[])
)
WEBHOOK_HTTP = env.bool("WEBHOOK_HTTP", default=False)
# Hosts with addresses in a private network from which each member may have a calendar or feed
# fetched, and so reads it.
SUBSCRIPTION_PRIVATE_HOSTS = frozenset(
    one.lower() for one in env.list("SUBSCRIPTION_PRIVATE_HOSTS", default=[])
)
# A folder on this server, as an absolute path, in which each organisation has one by its slug; from
# there its admins have files imported. Empty: there is none.
IMPORT_FOLDER = env.str("IMPORT_FOLDER", default="")
if IMPORT_FOLDER and not Path(IMPORT_FOLDER).is_absolute():
    raise ImproperlyConfigured("IMPORT_FOLDER is an absolute path, such as /srv/imports.")
# Days for which it is kept what was sent to a webhook, and what is owed is sent again.
WEBHOOK_LOG_DAYS = max(1, env.int("WEBHOOK_LOG_DAYS", default=30))

# Mail: only members who asked for it get any. Without a host nobody can ask.
EMAIL_HOST = env.str("SMTP_HOST", default="")
EMAIL_PORT = env.int("SMTP_PORT", default=587)
EMAIL_HOST_USER = env.str("SMTP_USER", default="")
EMAIL_HOST_PASSWORD = env.str("SMTP_PASSWORD", default="")
_smtp_security = env.str("SMTP_SECURITY", default="starttls")
if _smtp_security not in ("starttls", "tls", "none"):
    raise ImproperlyConfigured(
        f"SMTP_SECURITY is {_smtp_security!r}. It has to be starttls, tls or none."
    )
EMAIL_USE_TLS, EMAIL_USE_SSL = _smtp_security == "starttls", _smtp_security == "tls"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default="commonmind@localhost")
# Megabytes up to which a table is written anew after an erasure, so that no page holds its bytes.
ERASURE_REWRITE_MB = env.int("ERASURE_REWRITE_MB", default=256)
# Tokens that a robot's working memory holds, unless the robot has a budget of its own.
WORKING_MEMORY_TOKENS = env.int("WORKING_MEMORY_TOKENS", default=128_000)
# The time limit for all sources of a context together; later ones are left out.
CONTEXT_SECONDS = env.float("CONTEXT_SECONDS", default=3.0)
# Whether the gates look with presidio as well (`make setup-presidio`). Where it is missing they
# fail closed: what they look at waits for review.
GATE_PRESIDIO = env.bool("GATE_PRESIDIO", default=False)
# Days for which what a profession shares counts in full after a robot or person last said it.
BLOCK_FRESH_DAYS = max(1, env.int("BLOCK_FRESH_DAYS", default=90))
# The same of a team of robots, and the seconds that an active one of it may be silent.
TEAM_WORKING_MEMORY_TOKENS = env.int("TEAM_WORKING_MEMORY_TOKENS", default=4_000)
TEAM_SILENT_SECONDS = env.float("TEAM_SILENT_SECONDS", default=10.0)
# A syslog server that is told of the audit trail; empty: none is. And a file of the certificates
# that TLS trusts there; empty: those of the machine.
AUDIT_SYSLOG = env.str("AUDIT_SYSLOG", default="")
try:
    AUDIT_SYSLOG_SERVER = AUDIT_SYSLOG and parse_server(
        AUDIT_SYSLOG, env.str("AUDIT_SYSLOG_CERTIFICATES", default="")
    )
except ValueError as wrong:
    raise ImproperlyConfigured(f"AUDIT_SYSLOG: {wrong}") from None
# Days after which the operator deletes a backup; until then it holds what was erased since.
BACKUP_KEEP_DAYS = env.int("BACKUP_KEEP_DAYS", default=30)
# The continuous archive, which a process of its own keeps (`config.archive`); empty: there is none.
ARCHIVE_DIR = env.str("ARCHIVE_DIR", default="")
