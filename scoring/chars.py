"""What kind of character it is."""

from __future__ import annotations


def is_cjk(char: str) -> bool:
    """True for Chinese characters (and kana), which are written without spaces between words."""
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\u3040" <= char <= "\u30ff"
