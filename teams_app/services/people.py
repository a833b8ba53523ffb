"""People: accounts, passwords, coming and going."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.checked import save_checked
from core_app.errors import FieldError, Forbidden, Invalid
from core_app.services import audit_record
from teams_app.models import User
from teams_app.services.teams import require_platform_admin


def new_account(*, username: str, email: str, name: str, **flags: bool) -> User:
    """Store an account that nobody can sign in to yet: its password is set by its person through a link.

    Raises `Invalid`, or `Conflict` where the user name or the e-mail address is taken.
    """
    user = User(username=username, email=User.objects.normalize_email(email).lower(), name=name, **flags)
    user.set_unusable_password()
    return save_checked(user)


def set_password_path(user: User) -> str:
    """Return the path by which the person sets a password, once, within PASSWORD_RESET_TIMEOUT."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    token = default_token_generator.make_token(user)
    return reverse("teams:set-password", kwargs={"uidb64": uid, "token": token})


@transaction.atomic
def person_create(*, actor: Actor, username: str, email: str, name: str, **flags: bool) -> User:
    """Create an account outside of any team (platform administrators); `flags` are `is_staff`, `is_superuser`."""
    require_platform_admin(actor)
    user = new_account(username=username, email=email, name=name, **flags)
    after = {"username": username, **flags}
    audit_record(actor=actor, action="person.create", obj=user, team_id=None, label=username, after=after)
    return user


def _may_change(actor: Actor, user: User) -> bool:
    return actor.is_platform_admin or (actor.is_person and actor.id == user.pk)


@transaction.atomic
def person_change(*, actor: Actor, user: User, **fields: object) -> User:
    """Change a person's name or language; platform administrators also change e-mail, is_active and the flags."""
    own = {"name", "language"}
    if not _may_change(actor, user) or (set(fields) - own and not actor.is_platform_admin):
        raise Forbidden(_("You may change only your own name and language."))
    if (language := fields.get("language")) and language not in dict(settings.LANGUAGES):
        detail = _("There is no such language here.")
        raise Invalid(detail, errors=[FieldError("/language", "unknown_language", detail)])
    before = {name: getattr(user, name) for name in fields}
    changed = {name: value for name, value in fields.items() if value != before[name]}
    for name, value in changed.items():
        setattr(user, name, value)
    if changed:
        save_checked(user)
        audit_record(
            actor=actor,
            action="person.change",
            obj=user,
            team_id=None,
            label=user.username,
            before={name: before[name] for name in changed},
            after=changed,
        )
    return user


@transaction.atomic
def password_set(*, actor: Actor, user: User, password: str) -> None:
    """Store a new password that has passed the validators. The person's other sessions end with it."""
    if not _may_change(actor, user):
        raise Forbidden(_("You may change only your own password."))
    user.set_password(password)
    user.save(update_fields=["password"])
    audit_record(actor=actor, action="person.password", obj=user, team_id=None, label=user.username)


def person_sign_in(*, actor: Actor, user: User) -> None:
    """Record that a person has signed in."""
    audit_record(actor=actor, action="person.sign_in", obj=user, team_id=None, label=user.username)


def person_sign_out(*, actor: Actor, user: User) -> None:
    """Record that a person has signed out."""
    audit_record(actor=actor, action="person.sign_out", obj=user, team_id=None, label=user.username)
