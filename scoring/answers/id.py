"""``id``: an identifier (model number, ticket, article) stands in the answer exactly.

Fields: ``value`` (a text or a list of accepted texts), ``case_sensitive``, ``ignore_separators`` (true: spaces, dashes,
dots, slashes and underscores do not matter, "AB 1234" is "AB-1234"). No letter, digit or dash that would make it
another identifier may run on at either end. Worked example: value "AB-12": "AB-123", "XAB-12" and "AB-12-3" fail.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scoring.answers.negation import negated
from scoring.answers.result import AssertionResult
from scoring.answers.spec import flag, known, texts_field
from scoring.answers.text import fold, fold_case
from scoring.types import SystemOutput

_SEPARATORS = r"[\s\-_./]*"


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "value", "case_sensitive", "ignore_separators")
    texts_field(assertion, "value")
    flag(assertion, "case_sensitive")
    flag(assertion, "ignore_separators")


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when one of the identifiers stands there, not denied."""
    exact, loose = flag(assertion, "case_sensitive"), flag(assertion, "ignore_separators")
    text = fold(answer) if exact else fold_case(answer)
    denied: tuple[int, int] | None = None
    for value in texts_field(assertion, "value"):
        needle = (fold(value) if exact else fold_case(value)).strip()
        if loose:
            body = _SEPARATORS.join(re.escape(c) for c in re.sub(_SEPARATORS, "", needle) or needle)
        else:
            body = re.escape(needle)
        pattern = rf"(?<![A-Za-z0-9_])(?<![A-Za-z0-9][\-./]){body}(?![A-Za-z0-9_])(?![\-./][A-Za-z0-9])"
        for match in re.finditer(pattern, text):
            if negated(answer, match.start(), match.end()):
                denied = denied or match.span()
                continue
            return AssertionResult(True, match.span(), f"found {value!r}")
    return AssertionResult(False, denied, "only inside a negation" if denied else "the identifier is not in the answer")
