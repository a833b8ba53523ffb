"""Teams, the people in them, and the tokens of their pipelines."""

from django.contrib.auth.models import AbstractUser, UserManager
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.actors import Actor
from core_app.ids import new_id
from core_app.roles import Role

slug_validator = RegexValidator(
    r"^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$",
    _("Use lower-case letters, digits and hyphens; begin and end with a letter or digit; at most 50."),
)


class User(AbstractUser):
    """A person. The user name is what they sign in with; the language is what the pages speak."""

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    name = models.CharField(_("name"), max_length=120, blank=True)
    email = models.EmailField(_("e-mail"), unique=True)
    language = models.CharField(_("language"), max_length=10, blank=True, help_text=_("Empty: as the browser asks."))

    objects = UserManager()  # type: ignore[misc]

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")

    def __str__(self) -> str:
        return self.name or self.username


class TeamQuerySet(models.QuerySet["Team"]):
    def of(self, actor: Actor) -> "TeamQuerySet":
        """Return the teams in which the actor acts."""
        if actor.is_platform_admin:
            return self
        if actor.is_token:
            return self.filter(id=actor.team_id)
        return self.filter(id__in=list(actor.roles))


class Team(models.Model):
    """Owner of datasets, systems and gates."""

    slug = models.CharField(_("short name"), max_length=50, unique=True, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=120)
    four_eyes = models.BooleanField(
        _("four eyes"), default=False, help_text=_("Freezing needs the approval of a second steward.")
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = TeamQuerySet.as_manager()

    class Meta:
        verbose_name = _("team")
        verbose_name_plural = _("teams")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships", verbose_name=_("team"))
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships", verbose_name=_("person"))
    role = models.CharField(_("role"), max_length=16, choices=Role.choices)
    created_at = models.DateTimeField(_("since"), auto_now_add=True)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering = ["team", "user"]
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="teams_membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="teams_membership_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()}"


def new_servicetoken_id() -> str:
    return new_id("tok")


class ServiceToken(models.Model):
    """A pipeline's key: shown once, stored as a hash, scoped, expiring, revocable."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_servicetoken_id)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("team"))
    name = models.CharField(_("name"), max_length=80)
    prefix = models.CharField(_("begins with"), max_length=16)
    digest = models.CharField(_("sha256"), max_length=64, unique=True)
    scopes = models.JSONField(_("scopes"), default=list)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", verbose_name=_("made by"))
    created_at = models.DateTimeField(_("made"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"))
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    class Meta:
        verbose_name = _("service token")
        verbose_name_plural = _("service tokens")
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="teams_token_name_once")]

    def __str__(self) -> str:
        return self.name
