"""The rules of a gate as data: what each kind takes, checked with a JSON pointer to each fault (docs/gates.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from core_app.errors import FieldError, Invalid

MAX_RULES = 100
#: Groupings that a rule may name; they are fixed when a version is frozen.
GROUPINGS = ("type", "language", "tier")
#: States that say something about the system or the judge; `not_applicable` and `no_gold` belong to the item.
MISSING_STATES = ("refused", "no_claims", "undetermined", "judge_failed", "target_failed")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of rule takes: the name of its number with bounds, whether a metric, the choices of `on`.

    `instead` names a number that may stand in place of `number`; which one was given is the rule's `on`.
    """

    number: str = ""
    instead: str = ""
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    metric: str = "no"
    on: tuple[str, ...] = ()
    groups: bool = False
    paired: bool = False


KINDS: dict[str, Kind] = {
    "floor": Kind(number="limit", metric="needed", on=("low", "value"), groups=True),
    "ceiling": Kind(number="limit", metric="needed", on=("high", "value"), groups=True),
    "non_inferiority": Kind(number="margin", above=0.0, metric="needed", groups=True, paired=True),
    "must_improve": Kind(metric="needed", groups=True, paired=True),
    "max_missing": Kind(number="share", minimum=0.0, metric="possible", instead="count"),
    "latency_p95_ms": Kind(number="limit", above=0.0),
    "cost_mean": Kind(number="limit", minimum=0.0),
    "split_not_spent": Kind(),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `limit` is the margin of a non-inferiority rule; `on` the figure that is held against it."""

    kind: str
    metric: str = ""
    limit: float | None = None
    on: str = ""
    group: tuple[str, str] | None = None
    states: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Return the rule as it is stored and shown, with defaults written out."""
        kind = KINDS[self.kind]
        row: dict[str, Any] = {"kind": self.kind}
        if self.metric:
            row["metric"] = self.metric
        if kind.number:
            row[self.on if kind.instead else kind.number] = self.limit
        if kind.on:
            row["on"] = self.on
        if self.group:
            row["group"] = {self.group[0]: self.group[1]}
        if self.states:
            row["states"] = list(self.states)
        return row


def _number(row: Mapping[str, Any], kind: Kind, name: str, pointer: str, errors: list[FieldError]) -> float | None:
    where = f"{pointer}/{name}"
    value = row.get(name)
    if value is None:
        errors.append(FieldError(where, "required", _("This rule needs the number “%(name)s”.") % {"name": name}))
        return None
    too_big = isinstance(value, int) and abs(value) > 10**15
    if isinstance(value, bool) or not isinstance(value, int | float) or too_big or not math.isfinite(value):
        errors.append(FieldError(where, "not_a_number", _("This must be a finite number.")))
        return None
    if kind.minimum is not None and value < kind.minimum:
        errors.append(FieldError(where, "too_small", _("This must be at least %(n)s.") % {"n": f"{kind.minimum:g}"}))
    if kind.above is not None and value <= kind.above:
        errors.append(FieldError(where, "too_small", _("This must be above %(n)s.") % {"n": f"{kind.above:g}"}))
    return float(value)


def _metric(
    row: Mapping[str, Any], kind: Kind, pointer: str, errors: list[FieldError], knows: Callable[[str], bool]
) -> str:
    value = row.get("metric")
    where = f"{pointer}/metric"
    if value is None:
        if kind.metric == "needed":
            errors.append(FieldError(where, "required", _("This rule needs a metric.")))
        return ""
    if not isinstance(value, str) or not value.strip() or len(value) > 400:
        errors.append(FieldError(where, "not_a_text", _("A metric is named by its identity or a short name.")))
        return ""
    text = " ".join(value.split())
    if not knows(text):
        errors.append(FieldError(where, "unknown_metric", _("There is no metric “%(name)s”.") % {"name": text}))
    return text


def _group(row: Mapping[str, Any], pointer: str, errors: list[FieldError]) -> tuple[str, str] | None:
    value = row.get("group")
    if value is None:
        return None
    where = f"{pointer}/group"
    if not isinstance(value, Mapping) or len(value) != 1:
        errors.append(
            FieldError(where, "not_a_group", _('A group is an object with one key, such as {"type": "fact"}.'))
        )
        return None
    ((grouping, name),) = value.items()
    if grouping not in GROUPINGS:
        known = ", ".join(GROUPINGS)
        errors.append(
            FieldError(
                f"{where}/{grouping}", "unknown_grouping", _("Items are grouped by: %(known)s.") % {"known": known}
            )
        )
        return None
    if not isinstance(name, str) or not name or len(name) > 120:
        errors.append(FieldError(f"{where}/{grouping}", "not_a_text", _("A group's name is a text.")))
        return None
    return grouping, name


def _states(row: Mapping[str, Any], pointer: str, has_metric: bool, errors: list[FieldError]) -> tuple[str, ...]:
    value = row.get("states")
    where = f"{pointer}/states"
    if value is None:
        return MISSING_STATES if has_metric else ()
    if not has_metric:
        errors.append(FieldError(where, "needs_metric", _("States are those of a metric's scores: name the metric.")))
        return ()
    if not isinstance(value, list) or not value or any(state not in MISSING_STATES for state in value):
        known = ", ".join(MISSING_STATES)
        errors.append(FieldError(where, "unknown_state", _("A list of one or more of: %(known)s.") % {"known": known}))
        return ()
    return tuple(state for state in MISSING_STATES if state in value)


def _rule(row: Any, pointer: str, knows: Callable[[str], bool], errors: list[FieldError]) -> Rule | None:
    if not isinstance(row, Mapping):
        errors.append(FieldError(pointer, "not_an_object", _("A rule is an object with a “kind”.")))
        return None
    given = row.get("kind")
    name = given if isinstance(given, str) else ""
    kind = KINDS.get(name)
    if kind is None:
        known = ", ".join(KINDS)
        errors.append(
            FieldError(f"{pointer}/kind", "unknown_kind", _("A rule's kind is one of: %(known)s.") % {"known": known})
        )
        return None
    allowed = {"kind", kind.number, kind.instead} - {""}
    allowed |= {"metric"} if kind.metric != "no" else set()
    allowed |= {"on"} if kind.on else set()
    allowed |= {"group"} if kind.groups else set()
    allowed |= {"states"} if name == "max_missing" else set()
    for key in row:
        if key not in allowed:
            detail = _("A rule of kind %(kind)s takes: %(known)s.") % {
                "kind": name,
                "known": ", ".join(sorted(allowed)),
            }
            errors.append(FieldError(f"{pointer}/{key}", "unknown_field", detail))
    metric = _metric(row, kind, pointer, errors, knows) if kind.metric != "no" else ""
    number = kind.instead if kind.instead and kind.instead in row else kind.number
    if kind.instead and kind.instead in row and kind.number in row:
        detail = _("Give “%(one)s” or “%(other)s”, not both.") % {"one": kind.number, "other": kind.instead}
        errors.append(FieldError(f"{pointer}/{kind.instead}", "both", detail))
    limit = _number(row, kind, number, pointer, errors) if kind.number else None
    on = row.get("on", kind.on[0]) if kind.on else (number if kind.instead else "")
    if kind.on and on not in kind.on:
        detail = _("This is one of: %(known)s.") % {"known": ", ".join(kind.on)}
        errors.append(FieldError(f"{pointer}/on", "unknown_choice", detail))
    if number == "share" and limit is not None and limit > 1:
        errors.append(FieldError(f"{pointer}/share", "too_large", _("A share is at most 1.")))
    group = _group(row, pointer, errors) if kind.groups else None
    states = _states(row, pointer, bool(metric), errors) if name == "max_missing" else ()
    return Rule(kind=name, metric=metric, limit=limit, on=str(on), group=group, states=states)


def parse_rules(value: Any, *, knows: Callable[[str], bool] = lambda name: True) -> tuple[Rule, ...]:
    """Return the rules of a policy; `knows` says whether a metric of this name exists.

    Raises `Invalid` with one `FieldError` for each fault, its pointer starting at `/rules`.
    """
    if not isinstance(value, list) or not value:
        raise Invalid(
            _("A policy is a list of at least one rule."),
            errors=[FieldError("/rules", "not_a_list", _("Give a list of rules."))],
        )
    if len(value) > MAX_RULES:
        detail = _("At most %(n)s rules.") % {"n": MAX_RULES}
        raise Invalid(detail, errors=[FieldError("/rules", "too_many", detail)])
    errors: list[FieldError] = []
    rules: list[Rule] = []
    for index, row in enumerate(value):
        rule = _rule(row, f"/rules/{index}", knows, errors)
        if rule is not None and rule in rules:
            errors.append(FieldError(f"/rules/{index}", "twice", _("This rule is there twice.")))
        if rule is not None:
            rules.append(rule)
    if errors:
        raise Invalid(_("Some rules are not valid."), errors=errors)
    return tuple(rules)


def _tokens(text: str) -> tuple[str, frozenset[str]]:
    head, *rest = text.split()
    return head, frozenset(rest)


def names_metric(short: str, identity: str) -> bool:
    """Return whether a short name may mean this identity: the same name, and each part given is among its parts.

    Worked example: `retrieval.ndcg@10` means `retrieval.ndcg@10 gain=linear stage=prompt v1`; with `gain=exp` not.
    """
    head, parts = _tokens(short)
    full_head, full_parts = _tokens(identity)
    same_head = head == full_head or ("@" not in head and head == full_head.partition("@")[0])
    return same_head and parts <= full_parts


def resolve_metric(name: str, identities: Sequence[str]) -> list[str]:
    """Return the identities that `name` may mean: one where it is unambiguous; an exact identity always wins."""
    if name in identities:
        return [name]
    return [identity for identity in identities if names_metric(name, identity)]
