"""The full name of a metric: what was measured, with which parameters, where, by whom, in which version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from scoring.errors import MetricError

ParamValue = int | float | str | bool

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9_\-]+)+\Z")
_KEY = re.compile(r"[a-z][a-z0-9_]*\Z")
_INT = re.compile(r"[+-]?\d+\Z")
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
_RESERVED = ("variant", "stage", "judge")
_SAFE = "._-:/@+,"


class Params(Mapping[str, ParamValue]):
    """An immutable, hashable, picklable mapping of parameters in key order."""

    __slots__ = ("_items",)

    def __init__(self, values: Mapping[str, ParamValue] | None = None) -> None:
        self._items: tuple[tuple[str, ParamValue], ...] = tuple(sorted((values or {}).items()))

    def __getitem__(self, key: str) -> ParamValue:
        for name, value in self._items:
            if name == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self._items) == dict(other)

    def __repr__(self) -> str:
        return f"Params({dict(self._items)!r})"

    def __reduce__(self) -> tuple[type[Params], tuple[dict[str, ParamValue]]]:
        return (Params, (dict(self._items),))


def _encode(value: ParamValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    plain = quote(value, safe=_SAFE)
    # A text that would read back as a number or a truth value is quoted, so that parsing is the exact inverse.
    looks_typed = bool(_INT.match(value) or _FLOAT.match(value)) or value in ("true", "false")
    return f'"{plain}"' if looks_typed else plain


def _decode(text: str) -> ParamValue:
    if len(text) >= 2 and text.startswith('"') and text.endswith('"'):
        return unquote(text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return unquote(text)


@dataclass(frozen=True, slots=True, eq=False)
class MetricIdentity:
    """A metric's identity: two numbers may be compared only where these are equal.

    ``text`` is the canonical form, for example ``retrieval.ndcg@10 gain=linear stage=reranked v1``: the name, ``@k``
    where there is a cutoff, the other parameters in alphabetical order, then ``variant=``, ``stage=``, ``judge=`` and
    ``v`` with the version. ``MetricIdentity.parse`` is its exact inverse. Parameters are numbers, texts or truth
    values.

    Raises MetricError for a malformed name, a reserved or malformed parameter name, or a version below 1.
    """

    name: str
    params: Mapping[str, ParamValue] = field(default_factory=Params)
    stage: str | None = None
    variant: str | None = None
    version: int = 1
    judge: str | None = None
    text: str = field(init=False, default="")

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise MetricError(f"name {self.name!r} is not of the form family.metric")
        if self.version < 1:
            raise MetricError(f"{self.name}: version {self.version} is below 1")
        for key, value in self.params.items():
            if not _KEY.match(key) or key in _RESERVED:
                raise MetricError(f"{self.name}: {key!r} cannot be the name of a parameter")
            if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
                raise MetricError(f"{self.name}: parameter {key} is not finite")
            if not isinstance(value, (int, float, str)):
                raise MetricError(f"{self.name}: parameter {key} is neither a number, a text nor a truth value")
        for label, part in (("stage", self.stage), ("variant", self.variant), ("judge", self.judge)):
            if part is not None and not part:
                raise MetricError(f"{self.name}: {label} is an empty text")
        object.__setattr__(self, "params", Params(self.params))
        object.__setattr__(self, "text", self._canonical())

    def _canonical(self) -> str:
        parts = [self.name]
        if "k" in self.params:
            parts[0] += f"@{_encode(self.params['k'])}"
        parts += [f"{key}={_encode(value)}" for key, value in self.params.items() if key != "k"]
        for label, value in (("variant", self.variant), ("stage", self.stage), ("judge", self.judge)):
            if value is not None:
                parts.append(f"{label}={quote(value, safe=_SAFE)}")
        parts.append(f"v{self.version}")
        return " ".join(parts)

    @classmethod
    def parse(cls, text: str) -> MetricIdentity:
        """Read a canonical text back. A missing ``v`` part means version 1. Raises MetricError on anything else."""
        tokens = text.split()
        if not tokens:
            raise MetricError("an empty text is not a metric identity")
        head, *rest = tokens
        name, at, cutoff = head.partition("@")
        params: dict[str, ParamValue] = {}
        if at:
            if not _INT.match(cutoff):
                raise MetricError(f"{text!r}: the cutoff after @ is not a whole number")
            params["k"] = int(cutoff)
        special: dict[str, str] = {}
        version = 1
        for token in rest:
            key, equals, raw = token.partition("=")
            if not equals:
                if not re.fullmatch(r"v\d+", token):
                    raise MetricError(f"{text!r}: {token!r} is neither key=value nor a version")
                version = int(token[1:])
            elif key in _RESERVED:
                special[key] = unquote(raw)
            else:
                params[key] = _decode(raw)
        return cls(
            name=name,
            params=params,
            stage=special.get("stage"),
            variant=special.get("variant"),
            version=version,
            judge=special.get("judge"),
        )

    @property
    def k(self) -> int | None:
        """The cutoff, or None where the whole list is read."""
        value = self.params.get("k")
        return value if isinstance(value, int) else None

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MetricIdentity) and self.text == other.text
