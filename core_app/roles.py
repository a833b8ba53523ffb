"""The ladder of roles: each includes the ones before it."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What a person may do inside a team, weakest first."""

    VIEWER = "viewer", _("Viewer")
    ANNOTATOR = "annotator", _("Annotator")
    EDITOR = "editor", _("Editor")
    STEWARD = "steward", _("Steward")
    OWNER = "owner", _("Owner")

    @property
    def rank(self) -> int:
        """Return 1 for a viewer up to 5 for an owner."""
        return _RANKS[self]

    def includes(self, other: "Role") -> bool:
        """Return whether this role may do all that `other` may."""
        return self.rank >= other.rank


_RANKS = {role: rank for rank, role in enumerate(Role, start=1)}
