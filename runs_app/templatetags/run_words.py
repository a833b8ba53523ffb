"""`{% load run_words %}`: what `scoring/` says, and what metrics are called, in the reader's language."""

from __future__ import annotations

from django import template

from runs_app.metric_wording import summary_of
from runs_app.perturbations import perturbation_name
from runs_app.wording import explained, family_name

register = template.Library()
register.filter("explained", explained)
register.filter("family_name", family_name)
register.filter("metric_summary", summary_of)
register.filter("perturbation_name", perturbation_name)
