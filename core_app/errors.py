"""What can go wrong in a service, in terms that pages and REST both render (see core_app.rest.problems)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

#: Longest sentence or pointer in a refusal, and most faults that one names.
MAX_QUOTED = 500
MAX_FAULTS = 1000


def brief(text: Any) -> str:
    """Return the text, cut where it is longer than a refusal may quote."""
    words = str(text)
    return words if len(words) <= MAX_QUOTED else f"{words[: MAX_QUOTED - 1]}…"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault in the input: a JSON pointer (`/outputs/3/answer`), a machine's code, a sentence.

    `line` is the 1-based line of a file or NDJSON body, where there is one.
    """

    pointer: str
    code: str
    detail: Any
    line: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fault as JSON; what it quotes of the input is cut, so that no answer grows with a bad body."""
        row = asdict(self)
        row["pointer"], row["detail"] = brief(self.pointer), brief(self.detail)
        if self.line is None:
            del row["line"]
        return row


class DomainError(Exception):
    """A refusal with a status, a stable code and a sentence that says what to do."""

    status = 400
    code = "bad_request"
    #: Seconds after which asking again makes sense; sent as Retry-After.
    retry_after: int | None = None
    title: Any = _("Bad request")

    def __init__(
        self, detail: Any, *, code: str | None = None, errors: Sequence[FieldError] = (), **extra: Any
    ) -> None:
        super().__init__(str(detail))
        self.detail = detail
        self.errors = tuple(errors)
        self.extra = extra
        if code is not None:
            self.code = code


class Malformed(DomainError):
    """The body can't be read at all (not JSON, wrong encoding, nested too deeply)."""

    code = "malformed"
    title = _("The request can't be read")


class Invalid(DomainError):
    """The body reads well and says something that can't be accepted."""

    status = 422
    code = "invalid"
    title = _("The content is not valid")


class Conflict(DomainError):
    """The state of a thing does not allow this, or somebody else was first."""

    status = 409
    code = "conflict"
    title = _("Conflict")


class Forbidden(DomainError):
    """An insider without the right."""

    status = 403
    code = "forbidden"
    title = _("Not allowed")


class NotFound(DomainError):
    """It is not there, or the asker may not know of it."""

    status = 404
    code = "not_found"
    title = _("Not found")


class TooLarge(DomainError):
    status = 413
    code = "too_large"
    title = _("Too large")


class TooMany(DomainError):
    """Asked too often; `retry_after` says when to come back."""

    status = 429
    code = "throttled"
    title = _("Too many requests")

    def __init__(self, detail: Any, *, retry_after: int, **more: Any) -> None:
        super().__init__(detail, **more)
        self.retry_after = retry_after


class Unavailable(DomainError):
    retry_after = 5
    status = 503
    code = "unavailable"
    title = _("Temporarily unavailable")
