"""`{% load dataset_words %}`: question types, tiers and sources in the reader's language."""

from django import template

from datasets_app.states import ItemSource, QuestionType, Tier

register = template.Library()


@register.filter
def type_name(value: str) -> str:
    """Return the question type's name; a value that is none as it is."""
    return str(QuestionType(value).label) if value in QuestionType.values else value


@register.filter
def tier_name(value: str) -> str:
    """Return the tier's name; a value that is none as it is."""
    return str(Tier(value).label) if value in Tier.values else value


@register.filter
def source_name(value: str) -> str:
    """Return the source's name; a value that is none as it is."""
    return str(ItemSource(value).label) if value in ItemSource.values else value
