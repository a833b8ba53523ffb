"""`{% load ui %}`: every tag of the interface kit (figures and policy questions included)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, RadioSelect
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from core_app.badges import SHAPES, badge_for
from core_app.navigation import entries, section_of
from core_app.templatetags import charts, policy
from core_app.wording import ago, as_number, fixed, moment, short_metric, with_sign, word_diff

register = template.Library()
for _library in (charts, policy):
    register.tags.update(_library.register.tags)
    register.filters.update(_library.register.filters)


def _get(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


# ---------------------------------------------------------------- states and numbers
@register.simple_tag
def state_badge(value: Any, label: Any = None, title: str = "") -> SafeString:
    """Return a state as word, shape and colour; nothing for an empty value."""
    if value is None or value == "":
        return mark_safe("")
    badge = badge_for(value)
    return format_html(
        '<span class="badge badge-{}"{}><svg viewBox="0 0 10 10" aria-hidden="true" focusable="false">{}</svg>'
        "{}</span>",
        badge.tone,
        format_html(' title="{}"', title) if title else "",
        mark_safe(SHAPES[badge.shape]),  # noqa: S308 - our own constant
        badge.word if label is None else label,
    )


@register.filter
def num(value: Any, digits: int = 3) -> SafeString | str:
    """Return a number with fixed decimals; a dash with words for None and NaN."""
    number = as_number(value)
    return charts.no_value() if number is None else fixed(number, int(digits))


@register.filter
def signed(value: Any, digits: int = 3) -> SafeString | str:
    """Return a difference with its sign and fixed decimals."""
    number = as_number(value)
    return charts.no_value() if number is None else with_sign(number, int(digits))


@register.filter
def percent(value: Any, digits: int = 1) -> SafeString | str:
    """Return a share (0 to 1) as percent."""
    number = as_number(value)
    return charts.no_value() if number is None else f"{fixed(100 * number, int(digits))} %"


@register.filter
def count(value: Any) -> SafeString | str:
    """Return a whole number with thousands grouped."""
    return num(value, 0)


@register.simple_tag
def interval(low: Any, high: Any, digits: int = 3, signed: Any = 0) -> SafeString:
    """Return an interval such as [0.612, 0.744], or a dash where an end is missing."""
    ends = as_number(low), as_number(high)
    if ends[0] is None or ends[1] is None:
        return charts.no_value(_("no interval"))
    write = with_sign if signed else fixed
    return format_html('<span class="interval num">[{}, {}]</span>', write(ends[0], digits), write(ends[1], digits))


@register.inclusion_tag("components/score.html")
def score(aggregate: Any, digits: int = 3) -> dict[str, Any]:
    """An aggregate with interval, n and coverage: a mean over some of the items never looks like one over all."""
    total, scored = _get(aggregate, "n_total"), _get(aggregate, "n_scored")
    partial = total is not None and scored is not None and scored < total
    return {
        "value": as_number(_get(aggregate, "value")),
        "low": _get(aggregate, "low"),
        "high": _get(aggregate, "high"),
        "has_interval": as_number(_get(aggregate, "low")) is not None,
        "n_scored": scored,
        "n_total": total,
        "is_partial": partial,
        "states": _get(aggregate, "states") or {},
        "digits": digits,
    }


@register.simple_tag
def states_line(states: Mapping[str, int] | None) -> SafeString:
    """Return the counts of the states other than `scored` as small badges, the most frequent first."""
    rows = sorted(((n, state) for state, n in (states or {}).items() if n and state != "scored"), reverse=True)
    if not rows:
        return mark_safe("")
    badges = format_html_join(
        "", "{}", ((state_badge(state, label=f"{badge_for(state).word} {fixed(n, 0)}"),) for n, state in rows)
    )
    return format_html('<span class="states">{}</span>', badges)


@register.inclusion_tag("components/progress.html")
def progress(done: Any, total: Any, label: str = "") -> dict[str, Any]:
    """A labelled progress bar with its figures; an unknown total leaves the bar open."""
    known = bool(total)
    return {
        "done": done or 0,
        "total": total,
        "is_known": known,
        "label": label or _("Progress"),
        "share": min(1.0, (done or 0) / total) if known else None,
    }


@register.simple_tag
def metric_name(identity: Any) -> SafeString:
    """Return a metric's short name with its full identity in the title."""
    return format_html('<span class="metric" title="{}">{}</span>', identity, short_metric(str(identity)))


@register.filter
def pairs(mapping: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    """Return a mapping's keys and values; `mapping.items` in a template finds a key named “items” instead."""
    return list((mapping or {}).items())


@register.filter
def plain(value: Any) -> str:
    """Return a value of JSON as a person reads it: yes and no, lists with commas, a dash for nothing."""
    if value is None or value == "" or value == []:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, (list, tuple)):
        return ", ".join(plain(part) for part in value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {plain(part)}" for key, part in value.items())
    return str(value)


# ---------------------------------------------------------------- time and text
@register.simple_tag
def dt(value: Any) -> SafeString:
    """Return a moment as UTC date and minute."""
    when = moment(value)
    if when is None:
        return charts.no_value()
    return format_html(
        '<time class="nowrap" datetime="{}" title="{} UTC">{}</time>',
        when.isoformat(), f"{when:%Y-%m-%d %H:%M:%S}", f"{when:%Y-%m-%d %H:%M}",
    )  # fmt: skip


@register.simple_tag
def time_ago(value: Any) -> SafeString:
    """Return how long ago a moment was, the moment itself in the title."""
    when = moment(value)
    if when is None:
        return charts.no_value()
    return format_html(
        '<time class="nowrap" datetime="{}" title="{} UTC">{}</time>',
        when.isoformat(), f"{when:%Y-%m-%d %H:%M:%S}", ago(when, timezone.now()),
    )  # fmt: skip


@register.inclusion_tag("components/copy_text.html")
def copy_text(value: Any, label: str = "", short: int = 0) -> dict[str, Any]:
    """Code with a button that copies it; `short` shows a prefix of so many signs."""
    text = str(value)
    return {"value": text, "label": label, "shown": f"{text[:short]}…" if short and len(text) > short else text}


@register.simple_tag
def diff_words(old: Any, new: Any) -> SafeString:
    """Return the difference of two texts with `<del>` and `<ins>`."""
    wrap = {"equal": "{}", "delete": "<del>{}</del>", "insert": "<ins>{}</ins>"}
    found = word_diff(str(old or ""), str(new or ""))
    if [kind for kind, _text in found] == ["delete", "insert"]:
        wrap["insert"] = "<br><ins>{}</ins>"
    pieces = (format_html(wrap[kind], text) for kind, text in found)
    return format_html('<span class="pre-text">{}</span>', mark_safe("".join(pieces)))  # noqa: S308 - escaped pieces


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon of the sprite; it is decoration, words stand beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        static("core_app/icons.svg"),
        name,
    )


# ---------------------------------------------------------------- navigation
@register.inclusion_tag("components/main_nav.html", takes_context=True)
def main_nav(context: template.Context) -> dict[str, Any]:
    """The team's pages, without those that the address map lacks or `nav_hidden` names."""
    request, team, teams = context.get("request"), context.get("nav_team"), context.get("nav_teams") or []
    if team is None and len(teams) == 1:
        team = teams[0]
    match = getattr(request, "resolver_match", None)
    current = context.get("nav_section") or section_of(match.view_name if match else "")
    hidden = context.get("nav_hidden") or ()
    return {"groups": entries(team.slug, current, hidden) if team else []}


@register.inclusion_tag("components/breadcrumbs.html", takes_context=True)
def breadcrumbs(context: template.Context, *parts: Any) -> dict[str, Any]:
    """The way to a page: label, address, label, address, … and a last label without one; the team stands in front."""
    crumbs = [(parts[i], parts[i + 1] if i + 1 < len(parts) else "") for i in range(0, len(parts), 2)]
    team = context.get("nav_team")
    if team is not None:
        try:
            crumbs.insert(0, (team.name, reverse("teams:team", kwargs={"team": team.slug})))
        except NoReverseMatch:
            crumbs.insert(0, (team.name, ""))
    return {"crumbs": crumbs}


@register.simple_tag
def tab(url: str, label: str, current: Any = 0, count: Any = None) -> SafeString:
    """Return one link of a `<nav class="tabs">`."""
    number = "" if count is None else format_html(' <span class="count">{}</span>', fixed(float(count), 0))
    mark = mark_safe(' aria-current="page"') if current else ""
    return format_html('<a href="{}"{}>{}{}</a>', url, mark, label, number)


@register.inclusion_tag("components/page_nav.html", takes_context=True)
def page_nav(context: template.Context, page_obj: Any, label: str = "") -> dict[str, Any]:
    """Links to other pages, by number (Django's Page) or by cursor; other query parameters are kept."""
    request = context.get("request")
    query = request.GET.copy() if request is not None else None

    def link(name: str, value: Any) -> str:
        if not value or query is None:
            return ""
        changed = query.copy()
        changed[name] = str(value)
        return f"?{changed.urlencode()}"

    paginator = _get(page_obj, "paginator")
    if paginator is None:
        return {
            "previous": link("cursor", _get(page_obj, "previous_cursor")),
            "next": link("cursor", _get(page_obj, "next_cursor")),
            "total": _get(page_obj, "total"),
            "label": label or _("Pages"),
        }
    numbers = paginator.get_elided_page_range(page_obj.number, on_each_side=1, on_ends=1)
    return {
        "previous": link("page", page_obj.previous_page_number()) if page_obj.has_previous() else "",
        "next": link("page", page_obj.next_page_number()) if page_obj.has_next() else "",
        "pages": [(n, "" if n == paginator.ELLIPSIS else link("page", n), n == page_obj.number) for n in numbers]
        if paginator.num_pages > 1
        else [],
        "first": page_obj.start_index(),
        "last": page_obj.end_index(),
        "total": paginator.count,
        "label": label or _("Pages"),
    }


@register.simple_tag(takes_context=True)
def sort_header(context: template.Context, name: str, label: str, numeric: Any = 0) -> SafeString:
    """Return a column's head that sorts: first click ascending (descending for numbers), the next the other way."""
    request = context.get("request")
    query = request.GET.copy() if request is not None else None
    current = query.get("sort", "") if query is not None else ""
    down = f"-{name}"
    target = {name: down, down: name}.get(current, down if numeric else name)
    aria, arrow = {name: ("ascending", "▲"), down: ("descending", "▼")}.get(current, ("none", "↕"))
    if query is not None:
        query["sort"] = target
        query.pop("page", None)
        query.pop("cursor", None)
    return format_html(
        '<th scope="col"{} aria-sort="{}"><a href="?{}">{}<span aria-hidden="true">{}</span></a></th>',
        mark_safe(' class="num"') if numeric else "",
        aria,
        query.urlencode() if query is not None else f"sort={target}",
        label,
        arrow,
    )


# ---------------------------------------------------------------- forms and states of a page
@register.inclusion_tag("components/form_fields.html")
def form_fields(form: Any) -> dict[str, Any]:
    """All visible fields of a form, its general errors first, its hidden fields last."""
    return {"form": form}


@register.inclusion_tag("components/field.html")
def field(bound: BoundField) -> dict[str, Any]:
    """One field: label, control, help and errors, tied together for screen readers."""
    widget = bound.field.widget
    is_group = isinstance(widget, (RadioSelect, CheckboxSelectMultiple))
    described = [f"{bound.auto_id}_helptext"] if bound.help_text else []
    if bound.errors:
        described.append(f"{bound.auto_id}_errors")
    attributes = {"aria-describedby": " ".join(described)} if described else {}
    if bound.errors:
        attributes["aria-invalid"] = "true"
    return {
        "field": bound,
        "control": bound.as_widget(attrs=attributes),
        "described": attributes.get("aria-describedby", ""),
        "is_group": is_group,
        "is_check": isinstance(widget, CheckboxInput),
        "help_id": f"{bound.auto_id}_helptext",
        "errors_id": f"{bound.auto_id}_errors",
    }


@register.inclusion_tag("components/empty.html")
def empty(title: str, text: str = "", href: str = "", label: str = "") -> dict[str, Any]:
    """What to do first, where a list has nothing to show."""
    return {"title": title, "text": text, "href": href, "label": label}


@register.inclusion_tag("components/confirm.html", takes_context=True)
def confirm(
    context: template.Context, url: str, label: str, text: str, button: str = "", danger: Any = 1,
    name: str = "", value: str = "", small: Any = 0,
) -> dict[str, Any]:  # fmt: skip
    """A dangerous act: says what will change, asks once, works without scripts."""
    return {
        "url": url, "label": label, "text": text, "button": button or label, "danger": danger, "name": name,
        "value": value, "small": small, "csrf_token": context.get("csrf_token"),
    }  # fmt: skip
