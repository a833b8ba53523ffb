"""One vocabulary of states for the whole interface: each slug has a word, a tone and a shape.

Colour is never the only sign: two states of one tone differ in shape or word.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

#: Inner SVG of a 10 x 10 box, drawn with the text's colour.
SHAPES = {
    "circle": '<circle cx="5" cy="5" r="4" fill="currentColor"/>',
    "ring": '<circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" stroke-width="1.6"/>',
    "half": (
        '<circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" stroke-width="1.6"/>'
        '<path d="M5 1.6a3.4 3.4 0 0 1 0 6.8z" fill="currentColor"/>'
    ),
    "check": '<path d="m1.3 5.4 2.5 2.5 5-5.8" fill="none" stroke="currentColor" stroke-width="1.9"/>',
    "cross": '<path d="m1.8 1.8 6.4 6.4M8.2 1.8 1.8 8.2" stroke="currentColor" stroke-width="1.9"/>',
    "up": '<path d="M5 1 9.5 9h-9z" fill="currentColor"/>',
    "down": '<path d="M5 9 .5 1h9z" fill="currentColor"/>',
    "equal": '<path d="M1 3.4h8M1 6.6h8" stroke="currentColor" stroke-width="1.7"/>',
    "diamond": '<path d="M5 .5 9.5 5 5 9.5.5 5z" fill="currentColor"/>',
    "diamond-ring": '<path d="M5 1.2 8.8 5 5 8.8 1.2 5z" fill="none" stroke="currentColor" stroke-width="1.5"/>',
    "square": '<path d="M1 1h8v8H1z" fill="currentColor"/>',
    "square-ring": '<path d="M1.7 1.7h6.6v6.6H1.7z" fill="none" stroke="currentColor" stroke-width="1.5"/>',
    "dash": '<path d="M1 5h8" stroke="currentColor" stroke-width="1.9"/>',
    "slash": (
        '<circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" stroke-width="1.4"/>'
        '<path d="m2.5 7.5 5-5" stroke="currentColor" stroke-width="1.4"/>'
    ),
    "lock": (
        '<path d="M1.5 4.5h7v5h-7zM3 4.5V3a2 2 0 0 1 4 0v1.5" fill="none" stroke="currentColor" stroke-width="1.4"/>'
    ),
}


@dataclass(frozen=True, slots=True)
class Badge:
    """How one state looks. `tone` is ok, bad, warn, info or neutral; `shape` is a key of SHAPES."""

    word: str | Promise
    tone: str
    shape: str


BADGES: dict[str, Badge] = {
    # verdicts of gates and rules
    "pass": Badge(_("Pass"), "ok", "check"),
    "fail": Badge(_("Fail"), "bad", "cross"),
    "inconclusive": Badge(_("Inconclusive"), "warn", "diamond-ring"),
    "error": Badge(_("Error"), "bad", "diamond"),
    "waived": Badge(_("Waived"), "warn", "slash"),
    # verdicts of comparisons
    "improved": Badge(_("Improved"), "ok", "up"),
    "regressed": Badge(_("Regressed"), "bad", "down"),
    "equivalent": Badge(_("Equivalent"), "info", "equal"),
    "win": Badge(_("Win"), "ok", "up"),
    "loss": Badge(_("Loss"), "bad", "down"),
    "tie": Badge(_("Tie"), "neutral", "equal"),
    "no_data": Badge(_("No data"), "neutral", "dash"),
    "not_comparable": Badge(_("Not comparable"), "warn", "slash"),
    # runs and their batches
    "created": Badge(_("Created"), "neutral", "ring"),
    "collecting": Badge(_("Collecting"), "info", "half"),
    "scoring": Badge(_("Scoring"), "info", "half"),
    "completed": Badge(_("Completed"), "ok", "check"),
    "failed": Badge(_("Failed"), "bad", "cross"),
    "cancelled": Badge(_("Cancelled"), "neutral", "slash"),
    "waiting": Badge(_("Waiting"), "neutral", "ring"),
    "claimed": Badge(_("Claimed"), "info", "half"),
    "done": Badge(_("Done"), "ok", "check"),
    # versions, policies, exposure
    "draft": Badge(_("Draft"), "neutral", "ring"),
    "in_review": Badge(_("In review"), "info", "half"),
    "frozen": Badge(_("Frozen"), "info", "lock"),
    "dev": Badge(_("Dev"), "neutral", "square-ring"),
    "active": Badge(_("Active"), "ok", "circle"),
    "superseded": Badge(_("Superseded"), "neutral", "slash"),
    "retired": Badge(_("Retired"), "neutral", "slash"),
    "unseen": Badge(_("Unseen"), "ok", "ring"),
    "in_use": Badge(_("In use"), "info", "half"),
    "spent": Badge(_("Spent"), "bad", "square"),
    "expired": Badge(_("Expired"), "warn", "slash"),
    "revoked": Badge(_("Revoked"), "bad", "slash"),
    # outcomes of answers and states of scores
    "answered": Badge(_("Answered"), "ok", "circle"),
    "partial": Badge(_("Partial"), "info", "half"),
    "refused": Badge(_("Refused"), "warn", "square-ring"),
    "missing": Badge(_("Missing"), "bad", "ring"),
    "scored": Badge(_("Scored"), "ok", "circle"),
    "not_applicable": Badge(_("Not applicable"), "neutral", "dash"),
    "no_gold": Badge(_("No gold"), "neutral", "diamond-ring"),
    "no_claims": Badge(_("No claims"), "neutral", "square-ring"),
    "undetermined": Badge(_("Undetermined"), "warn", "diamond-ring"),
    "judge_failed": Badge(_("Judge failed"), "bad", "diamond"),
    "target_failed": Badge(_("Target failed"), "bad", "cross"),
    # general
    "ok": Badge(_("In order"), "ok", "check"),
    "warning": Badge(_("Warning"), "warn", "diamond"),
    "hit": Badge(_("Hit"), "ok", "check"),
    "miss": Badge(_("Miss"), "neutral", "dash"),
    "yes": Badge(_("Yes"), "ok", "check"),
    "no": Badge(_("No"), "neutral", "dash"),
    "true": Badge(_("Yes"), "ok", "check"),
    "false": Badge(_("No"), "neutral", "dash"),
    # roles
    "viewer": Badge(_("Viewer"), "neutral", "ring"),
    "annotator": Badge(_("Annotator"), "neutral", "half"),
    "editor": Badge(_("Editor"), "info", "circle"),
    "steward": Badge(_("Steward"), "info", "diamond"),
    "owner": Badge(_("Owner"), "info", "square"),
}


def badge_for(value: object) -> Badge:
    """Return the badge of a state slug (text, a TextChoices member, a truth value); unknown ones look neutral."""
    slug = str(getattr(value, "value", value)).lower()
    found = BADGES.get(slug)
    if found is not None:
        return found
    word = getattr(value, "label", None) or slug.replace("_", " ").capitalize() or _("Unknown")
    return Badge(word, "neutral", "ring")
