"""The embedded default: SQLite, a private Valkey, plain http on this machine only."""

import os
import secrets
from pathlib import Path

from evalplatform.settings.base import *  # noqa: F403
from evalplatform.settings.base import HOME, STATIC_ROOT, env

HOME.mkdir(parents=True, exist_ok=True)
# WhiteNoise warns about a folder that is not there; in development the finders serve what apps bring.
Path(STATIC_ROOT).mkdir(parents=True, exist_ok=True)


def _local_secret() -> str:
    """Return this installation's own random key, made at the first start and kept beside the database."""
    path = HOME / "secret-key"
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    return path.read_text()


SECRET_KEY = env.str("SECRET_KEY", default="") or _local_secret()
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
WHITENOISE_USE_FINDERS = True
LOG_FORMAT = env.str("LOG_FORMAT", default="console")
