"""The committed translations: complete, compiled, with the same placeholders, in the terms that were agreed on."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|%%")
#: English term → the one Chinese word for it; sentences that hold the term hold the word.
GLOSSARY = {"baseline": "基线", "steward": "数据管理员", "verdict": "结论", "gate": "门禁", "ledger": "台账"}


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with (FOLDER / "django.po").open("rb") as source:
        return read_po(source, locale="zh_Hans")


def texts(message: Message) -> list[str]:
    return list(message.string) if isinstance(message.string, (list, tuple)) else [message.string]


def source(message: Message) -> str:
    return message.id[-1] if isinstance(message.id, (list, tuple)) else message.id


def test_every_text_is_translated_and_none_is_a_guess(catalogue: Catalog) -> None:
    assert [m.id for m in catalogue if m.id and (m.fuzzy or not all(texts(m)))] == []


def test_the_compiled_catalogue_is_in_step_with_its_source(catalogue: Catalog) -> None:
    with (FOLDER / "django.mo").open("rb") as compiled:
        loaded = gettext.GNUTranslations(compiled)
    stale = [
        message.id
        for message in catalogue
        if message.id
        and texts(message)[0]
        != (loaded.ngettext(*message.id, 2) if isinstance(message.id, (list, tuple)) else loaded.gettext(message.id))
    ]
    assert stale == []


def test_a_translation_keeps_its_placeholders(catalogue: Catalog) -> None:
    wrong = [
        (m.id, text)
        for m in catalogue
        if m.id
        for text in texts(m)
        if sorted(PLACEHOLDER.findall(text)) != sorted(PLACEHOLDER.findall(source(m)))
    ]
    assert wrong == []


@pytest.mark.parametrize(("term", "word"), GLOSSARY.items())
def test_a_term_has_one_translation(catalogue: Catalog, term: str, word: str) -> None:
    pattern = re.compile(rf"\b{term}s?\b(?![:=])", re.IGNORECASE)
    other = [
        (m.id, texts(m)[0])
        for m in catalogue
        if m.id and pattern.search(PLACEHOLDER.sub("", source(m))) and word not in texts(m)[0]
    ]
    assert other == []


def is_word_list(text: str) -> bool:
    """Tell whether a text is the argument of the filter `yesno`: words with commas and no space behind them."""
    return re.search(r",\S", text) is not None and ", " not in text


def test_chinese_sentences_use_chinese_marks(catalogue: Catalog) -> None:
    wrong = [
        text
        for message in catalogue
        if message.id
        for text in texts(message)
        if re.search(r"[\u4e00-\u9fff][,;:!?]|[\u4e00-\u9fff]\.$", text) and not is_word_list(source(message))
    ]
    assert wrong == []
