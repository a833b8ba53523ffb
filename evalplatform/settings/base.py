"""Settings shared by every environment. What differs by machine is read from the environment (see docs/settings.md)."""

import hashlib
import os
import tempfile
from pathlib import Path

import environ
from django.utils.translation import gettext_lazy as _

from core_app.schedules import collect

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent.parent
#: Where the embedded database, the embedded broker and their logs live.
HOME = Path(env.str("EVALPLATFORM_HOME", default=str(BASE_DIR / "var")))

if _metrics_folder := env.str("PROMETHEUS_MULTIPROC_DIR", default=""):
    # The counters open their files there as soon as they are defined, which is when the apps load.
    Path(_metrics_folder).mkdir(parents=True, exist_ok=True)

INSTALLED_APPS = [
    "evalplatform.admin_site.PlatformAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "django_htmx",
    "axes",
    "django_celery_beat",
    "core_app",
    "teams_app",
    "judges_app",
    "datasets_app",
    "runs_app",
    "labels_app",
    "feedback_app",
    "evalplatform",
    "examples",
]

MIDDLEWARE = [
    "core_app.middleware.RequestContextMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "core_app.middleware.BodyLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "teams_app.middleware.ActorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "core_app.middleware.DomainErrorMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "evalplatform.urls"
WSGI_APPLICATION = "evalplatform.wsgi.application"
ASGI_APPLICATION = "evalplatform.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "teams_app.context_processors.navigation",
            ],
        },
    },
]

DATABASE_URL = env.str("DATABASE_URL", default="") or f"sqlite:///{HOME / 'evalplatform.sqlite3'}"
DATABASES = {"default": env.db_url_config(DATABASE_URL)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA cache_size=-32000; "
            # Without it, INSERT OR REPLACE deletes the rows in its way past the triggers that guard them.
            "PRAGMA recursive_triggers=ON"
        ),
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

#: One Redis-protocol server: the embedded Valkey on a unix socket unless REDIS_URL names another.
REDIS_SOCKET = HOME / "valkey.sock"
if len(str(REDIS_SOCKET)) > 100:  # the kernel's limit on socket paths is 108 bytes
    _short = hashlib.sha256(str(HOME).encode()).hexdigest()[:16]
    REDIS_SOCKET = Path(tempfile.gettempdir()) / f"evalplatform-{os.getuid()}-{_short}.sock"
REDIS_URL = env.str("REDIS_URL", default="")
CELERY_BROKER_URL = REDIS_URL or f"redis+socket://{REDIS_SOCKET}"
_CACHE_LOCATION = REDIS_URL or f"unix://{REDIS_SOCKET}"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": _CACHE_LOCATION}}
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 600, "unacked_restore_throttle": 1}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 900
CELERY_TASK_SOFT_TIME_LIMIT = 840
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "runs_app.tasks.score_*": {"queue": "score"},
    "runs_app.tasks.collect_*": {"queue": "collect"},
    "judges_app.tasks.*": {"queue": "judge"},
}
#: Processes of the worker that `manage.py serve` starts.
WORKER_CONCURRENCY = env.int("WORKER_CONCURRENCY", default=2)
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_BEAT_SCHEDULE = collect(INSTALLED_APPS)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

AUTH_USER_MODEL = "teams_app.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "teams:sign-in"
LOGIN_REDIRECT_URL = "teams:home"
LOGOUT_REDIRECT_URL = "teams:sign-in"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "core_app.address.client_address"
AXES_LOCKOUT_CALLABLE = "core_app.error_pages.locked_out"
#: Sign-in attempts from one address in five minutes, whatever the user name.
SIGN_IN_ATTEMPTS = env.int("SIGN_IN_ATTEMPTS", default=60)
#: How many proxies of ours stand in front and add to X-Forwarded-For (0: the connection's own address counts).
TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=0)
#: Bearer that `/metrics` asks for; empty: only this machine may ask.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

LOGGING_CONFIG = "core_app.logging.configure"
LOGGING = {"level": env.str("LOG_LEVEL", default="INFO")}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = env.str("STATIC_ROOT", default=str(HOME / "static"))

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "core_app.error_pages.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "form-action": ["'self'"],
    }
}

#: Largest body that a request may carry, in bytes; imports have their own limit and are streamed.
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
API_MAX_BODY_BYTES = env.int("API_MAX_BODY_BYTES", default=16 * 1024 * 1024)
IMPORT_MAX_BODY_BYTES = env.int("IMPORT_MAX_BODY_BYTES", default=64 * 1024 * 1024)
API_MAX_JSON_DEPTH = 64

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "teams_app.rest.authentication.TokenAuthentication",
        "teams_app.rest.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["core_app.rest.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core_app.rest.parsers.JSONParser"],
    "DEFAULT_PAGINATION_CLASS": "core_app.rest.pagination.CursorPagination",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["teams_app.rest.throttles.TokenRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"token": env.str("API_TOKEN_RATE", default="6000/min")},
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core_app.rest.negotiation.FallbackNegotiation",
    # `?format=` is a parameter of imports, exports and reports, not the choice of a renderer.
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "core_app.rest.problems.exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "evalplatform",
    "DESCRIPTION": "Evaluation sets, runs, comparisons and release gates for RAG and LLM question answering.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "core_app.rest.schema.describe_shared",
    ],
}
