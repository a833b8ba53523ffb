"""Assertions: fast, exact, repeatable checks of an answer (``validate`` and ``check``), and what is scored from
them.
"""

from scoring.answers.dispatch import TYPES, check, validate
from scoring.answers.result import AssertionResult
from scoring.errors import AssertionSpecError

__all__ = ["TYPES", "AssertionResult", "AssertionSpecError", "check", "validate"]
