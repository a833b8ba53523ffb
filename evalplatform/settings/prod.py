"""Production: all by environment; refuses to start without secret key, allowed hosts, server database and https."""

from django.core.exceptions import ImproperlyConfigured

from evalplatform.settings.base import *  # noqa: F403
from evalplatform.settings.base import DATABASE_URL, REDIS_URL, env


def _required(name: str) -> str:
    value = env.str(name, default="").strip()
    if not value:
        raise ImproperlyConfigured(f"{name} must be set in production (see docs/settings.md).")
    return value


DEBUG = False
SECRET_KEY = _required("SECRET_KEY")
if len(SECRET_KEY) < 40:
    raise ImproperlyConfigured("SECRET_KEY must have at least 40 characters in production.")
ALLOWED_HOSTS = [host.strip() for host in _required("ALLOWED_HOSTS").split(",") if host.strip()]
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts in production; '*' accepts any.")
if DATABASE_URL.startswith("sqlite"):
    raise ImproperlyConfigured("DATABASE_URL must name a PostgreSQL database in production.")
if not REDIS_URL:
    raise ImproperlyConfigured("REDIS_URL must name a Redis server in production.")
#: Https is required; HTTPS=terminated says that a proxy in front ends TLS and sets X-Forwarded-Proto.
if _required("HTTPS") not in {"terminated", "direct"}:
    raise ImproperlyConfigured("HTTPS must be 'terminated' (a proxy ends TLS) or 'direct' in production.")
if env.str("HTTPS") == "terminated":
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=1)
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31536000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
CSRF_TRUSTED_ORIGINS = [f"https://{host.lstrip('.')}" for host in ALLOWED_HOSTS]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
LOG_FORMAT = "json"
