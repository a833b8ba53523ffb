"""What the kinds of perturbation are called."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

_NAMES: dict[str, Any] = {
    "paraphrase": _("Paraphrase"),
    "typo": _("Typing errors"),
    "ocr": _("Scanning errors"),
    "noise_docs": _("Noise documents"),
    "conflict": _("Conflicting documents"),
    "injection": _("Injected instructions"),
    "other": _("Other"),
}


def perturbation_name(kind: str) -> Any:
    """Return a kind's name in the reader's language; an unknown kind stands for itself."""
    return _NAMES.get(kind, kind)
