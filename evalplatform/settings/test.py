"""The test suite's settings: as in development, with quick password hashing and a home of its own."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("EVALPLATFORM_HOME", str(Path(tempfile.gettempdir()) / f"evalplatform-test-{os.getpid()}"))

from evalplatform.settings.dev import *  # noqa: F403
from evalplatform.settings.dev import DATABASES, HOME, REST_FRAMEWORK, STATIC_ROOT

SECRET_KEY = "only-for-the-tests"  # noqa: S105
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, as in development: connections to a database in memory fail at a lock where real ones wait.
    DATABASES["default"]["TEST"] = {"NAME": str(HOME / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
#: In-process tests run a task where it is enqueued, after the commit; tests marked `live` use real workers.
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
#: Looked up when asked for: else each of the thousands of test clients would list every static file anew.
WHITENOISE_AUTOREFRESH = True
# WhiteNoise warns where its folder is missing, and warnings are errors here.
Path(STATIC_ROOT).mkdir(parents=True, exist_ok=True)
AXES_ENABLED = False
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_CLASSES": []}
