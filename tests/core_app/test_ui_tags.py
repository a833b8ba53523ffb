import math
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.paginator import Paginator
from django.template import Context, Template
from django.test import RequestFactory
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from core_app.badges import BADGES, SHAPES
from core_app.plots import Axis, axis_around_zero, forest_rows, polylines
from core_app.templatetags.ui import plain
from core_app.wording import DIFF_LIMIT, fixed, short_metric, with_sign, word_diff


def render(source: str, **context: object) -> str:
    return Template("{% load ui %}" + source).render(Context(context))


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()


# ---------------------------------------------------------------- states
@pytest.mark.parametrize("slug", BADGES)
def test_a_state_is_a_word_and_a_shape_not_a_colour_alone(slug: str) -> None:
    html = render("{% state_badge slug %}", slug=slug)
    assert str(BADGES[slug].word) in html
    assert SHAPES[BADGES[slug].shape] in html


def test_verdicts_differ_in_shape_and_word() -> None:
    for group in (
        ["pass", "fail", "inconclusive", "error"],
        ["improved", "regressed", "equivalent", "inconclusive"],
        ["created", "scoring", "completed", "failed", "cancelled"],
        ["draft", "in_review", "frozen", "retired"],
    ):
        assert len({BADGES[slug].shape for slug in group}) == len(group)
        assert len({str(BADGES[slug].word) for slug in group}) == len(group)


def test_an_unknown_state_gets_a_neutral_badge_with_its_own_word_escaped() -> None:
    html = render("{% state_badge slug %}", slug="brand_new<script>")
    assert "badge-neutral" in html
    assert "Brand new&lt;script&gt;" in html
    assert "<script>" not in html


def test_no_state_gives_no_badge() -> None:
    assert render("{% state_badge slug %}", slug="") == ""


# ---------------------------------------------------------------- numbers
@pytest.mark.parametrize(
    ("value", "text"),
    [(0.61249, "0.612"), (1, "1.000"), (-0.5, "−0.500"), (-0.00001, "0.000"), (12345.5, "12,345.500")],
)
def test_numbers_have_fixed_decimals(value: float, text: str) -> None:
    assert render("{{ x|num:3 }}", x=value) == text


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "", "text"])
def test_what_is_no_number_is_a_dash_with_words(value: object) -> None:
    html = render("{{ x|num:3 }}{{ x|signed }}{{ x|percent }}{{ x|count }}", x=value)
    assert html.count("–") == 4
    assert "nan" not in html.lower().replace("no value", "")
    assert html.count("no value</span>") == 4


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9), st.integers(0, 6))
def test_a_signed_number_reads_back_as_its_rounded_value(value: float, digits: int) -> None:
    text = with_sign(value, digits)
    assert float(text.replace("−", "-").replace(",", "")) == pytest.approx(round(value, digits), abs=10.0**-digits)
    assert text.startswith(("+", "−")) == (float(f"{value:.{digits}f}") != 0)
    assert fixed(value, digits).lstrip("−") == text.lstrip("+−")


def test_a_share_is_percent_and_a_count_is_grouped() -> None:
    assert render("{{ 0.125|percent }} {{ 12345|count }}") == "12.5 % 12,345"


def test_an_interval_has_both_ends_or_none() -> None:
    assert words(render("{% interval 0.6121 0.744 %}")) == "[0.612, 0.744]"
    assert words(render("{% interval a 0.744 2 1 %}", a=-0.1)) == "[−0.10, +0.74]"
    assert words(render("{% interval None 0.744 %}")) == "– no interval"


# ---------------------------------------------------------------- scores
FULL = {"value": 0.5, "low": 0.4, "high": 0.6, "n_scored": 212, "n_total": 212, "states": {"scored": 212}}
HALF = {**FULL, "n_scored": 96, "states": {"scored": 96, "no_gold": 110, "target_failed": 6}}


def test_a_mean_over_half_of_the_items_never_looks_like_a_mean_over_all() -> None:
    full, half = render("{% score a %}", a=FULL), render("{% score a %}", a=HALF)
    assert "is-partial" not in full
    assert "<progress" not in full
    assert "n 212" in words(full).replace("&nbsp;", " ")
    assert "is-partial" in half
    assert "over 96 of 212" in words(half)
    assert '<progress class="coverage" value="96" max="212"' in half
    assert "No gold 110" in words(half)
    assert "Target failed 6" in words(half)


def test_a_score_without_a_value_says_why() -> None:
    html = render(
        "{% score a %}", a={**FULL, "value": None, "low": None, "high": None, "n_scored": 0, "states": {"refused": 212}}
    )
    assert "no value" in html
    assert "Refused 212" in words(html)


def test_a_score_reads_objects_as_well_as_dictionaries() -> None:
    class Row:
        value, low, high, n_scored, n_total, states = 0.25, None, None, 4, 4, {}

    assert words(render("{% score a %}", a=Row())).startswith("0.250")


@pytest.mark.parametrize(
    ("identity", "short"),
    [
        ("retrieval.ndcg@10 gain=linear v1", "ndcg@10"),
        ("retrieval.ndcg@10 gain=linear stage=rerank v1", "ndcg@10 · rerank"),
        (
            "ragas.context_precision variant=with_reference judge=faith-zh@4 v1",
            "context_precision · with_reference · faith-zh@4",
        ),
        ("task_success v1", "task_success"),
        ("", ""),
    ],
)
def test_a_metric_is_short_with_its_identity_at_hand(identity: str, short: str) -> None:
    assert short_metric(identity) == short
    assert f'title="{identity}"' in render("{% metric_name identity %}", identity=identity)


# ---------------------------------------------------------------- figures
def test_a_forest_plot_puts_every_number_beside_its_mark() -> None:
    rows = [
        {"label": "a <b>", "estimate": 0.06, "low": 0.03, "high": 0.09, "eps": 0.03, "verdict": "improved", "n": 12},
        {"label": "none", "estimate": None, "low": None, "high": None, "verdict": "error"},
    ]
    html = render("{% forest_plot rows caption='Differences' %}", rows=rows)
    assert "a &lt;b&gt;" in html
    assert "+0.060" in html
    assert "[+0.030, +0.090]" in html
    assert html.count("forest-point") == 1
    assert "Improved" in html
    assert "style=" not in html


def test_better_is_to_the_right_also_where_lower_is_better() -> None:
    row = {"label": "risk", "estimate": -0.2, "low": -0.3, "high": -0.1, "lower_is_better": True}
    placed, _axis = forest_rows([row, {**row, "lower_is_better": False}])
    assert (placed[0].estimate, placed[0].x > 50, placed[1].x < 50) == (-0.2, True, True)
    assert placed[0].x_high < placed[0].x < placed[0].x_low


def test_pairs_reads_a_mapping_that_has_a_key_named_items() -> None:
    assert render("{% for k, v in m|pairs %}{{ k }}={{ v }};{% endfor %}", m={"items": 118, "b": 2}) == "items=118;b=2;"
    assert render("{% for k, v in m|pairs %}x{% endfor %}", m=None) == ""


def test_a_forest_plot_of_nothing_is_an_empty_table() -> None:
    assert "forest-point" not in render("{% forest_plot rows %}", rows=[])


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=1, max_size=20))
def test_marks_of_a_forest_plot_lie_on_the_axis_in_the_order_of_their_values(values: list[tuple[float, ...]]) -> None:
    rows, axis = forest_rows(
        [{"label": "m", "estimate": e, "low": lo, "high": hi, "eps": 0.03} for e, lo, hi in values]
    )
    assert axis.at(0) == 50
    for row in rows:
        assert 0 <= row.x <= 100
        assert (row.x > 50) == (row.estimate > 0) or row.x == 50
    ordered = sorted(rows, key=lambda row: row.estimate)
    assert [row.x for row in ordered] == sorted(row.x for row in rows)


@given(st.floats(1e-6, 1e6))
def test_an_axis_has_a_few_round_ticks_within_its_ends(reach: float) -> None:
    axis = axis_around_zero([reach])
    ticks = axis.ticks()
    assert 3 <= len(ticks) <= 7
    assert all(axis.low <= tick <= axis.high for tick in ticks)
    assert 0 in ticks


def test_values_beyond_an_axis_are_drawn_at_its_end() -> None:
    assert (Axis(-1, 1).at(-5), Axis(-1, 1).at(5)) == (0, 100)


def test_a_line_breaks_where_a_value_is_missing() -> None:
    assert [len(stretch) for stretch in polylines([1, 2, None, 3, math.nan, 4], 96, 22)] == [2, 1, 1]
    assert polylines([None, None], 96, 22) == []
    assert polylines([0.5, 0.5], 96, 22)[0][0][1] == 11


def test_a_sparkline_says_its_figures_in_words() -> None:
    html = render("{% sparkline values 'Task success' %}", values=[0.5, None, 0.75])
    assert "Task success from 0.500 to 0.750, least 0.500, greatest 0.750" in html
    assert "no value" in render("{% sparkline values %}", values=[None])


def test_a_bar_never_leaves_its_cell() -> None:
    assert 'width="100.00%"' in render("{% bar_cell 7 5 %}")
    assert 'width="0.00%"' in render("{% bar_cell 7 0 %}")
    assert "no value" in render("{% bar_cell None %}")


def test_progress_of_an_unknown_total_has_no_share() -> None:
    assert "12 / 48 · 25 %" in words(render("{% progress 12 48 'Scoring' %}"))
    assert "value=" not in render("{% progress 12 None 'Collecting' %}")


# ---------------------------------------------------------------- text and time
@given(st.text(), st.text())
def test_a_word_diff_holds_both_texts_whole(old: str, new: str) -> None:
    pieces = word_diff(old, new)
    assert "".join(text for kind, text in pieces if kind != "insert") == old
    assert "".join(text for kind, text in pieces if kind != "delete") == new


def test_a_word_diff_goes_by_word_and_in_chinese_by_character() -> None:
    assert ("delete", "ten") in word_diff("locked for ten minutes", "locked for thirty minutes")
    assert word_diff("账户锁定十分钟", "账户锁定三十分钟") == [
        ("equal", "账户锁定"),
        ("insert", "三"),
        ("equal", "十分钟"),
    ]
    assert word_diff("GPT4模型", "GPT5模型") == [("delete", "GPT4"), ("insert", "GPT5"), ("equal", "模型")]


def test_a_word_diff_of_long_texts_stays_cheap() -> None:
    old, new = "a " * DIFF_LIMIT, "b " * DIFF_LIMIT
    assert word_diff(old, new) == [("delete", old), ("insert", new)]


def test_a_word_diff_of_two_unlike_texts_is_no_patchwork() -> None:
    old, new = "I could not find it.", "One bike can be paired with five phones."
    assert word_diff(old, new) == [("delete", old), ("insert", new)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "yes"), (False, "no"), (None, "–"), ([], "–"), (21.5, "21.5"), ("kg", "kg"), (0, "0"),
        (["a", True], "a, yes"), ({"k": [1, 2], "on": False}, "k: 1, 2; on: no"),
    ],
)  # fmt: skip
def test_a_value_of_json_is_shown_as_a_person_reads_it(value: object, shown: str) -> None:
    assert plain(value) == shown


def test_a_word_diff_is_escaped() -> None:
    assert "<script>" not in render("{% diff_words a b %}", a="<script>x", b="<script>y")


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=90), "3 months ago"),
        (timedelta(days=800), "2 years ago"),
        (-timedelta(days=3, minutes=1), "in 3 days"),
    ],
)
def test_a_moment_is_told_in_its_largest_unit(before: timedelta, text: str) -> None:
    assert words(render("{% time_ago at %}", at=timezone.now() - before)) == text


def test_a_moment_is_shown_in_utc_whether_datetime_or_text() -> None:
    at = datetime(2026, 11, 30, 9, 5, 7, tzinfo=UTC)
    assert words(render("{% dt at %}", at=at)) == "2026-11-30 09:05"
    assert words(render("{% dt at %}", at="2026-11-30T17:05:07+08:00")) == "2026-11-30 09:05"
    assert "no value" in render("{% dt at %}{% time_ago at %}", at="yesterday")


def test_a_long_identifier_is_shown_short_and_copied_whole() -> None:
    html = render("{% copy_text value short=4 %}", value="abcdefgh")
    assert "abcd…" in html
    assert 'data-copy="abcdefgh"' in html


# ---------------------------------------------------------------- lists
def request(path: str):
    return RequestFactory().get(path)


def test_page_links_keep_the_other_parameters() -> None:
    page = Paginator(range(100), 10).page(4)
    html = render("{% page_nav page %}", page=page, request=request("/?q=a%26b&page=4"))
    assert "31–40 of 100" in words(html)
    assert 'href="?q=a%26b&amp;page=3"' in html
    assert 'href="?q=a%26b&amp;page=5"' in html
    assert html.count('aria-current="page"') == 1


def test_cursor_links_show_only_the_ways_that_there_are() -> None:
    html = render(
        "{% page_nav page %}", page={"next_cursor": "z", "previous_cursor": None, "total": 1}, request=request("/?q=a")
    )
    assert 'href="?q=a&amp;cursor=z"' in html
    assert 'rel="prev"' not in html
    assert "1 row" in words(html)


def test_a_sorted_column_says_so_and_turns_round() -> None:
    source = "{% sort_header 'n' 'N' numeric=1 %}"
    assert 'href="?page_size=5&amp;sort=-n"' in render(source, request=request("/?page_size=5&page=3"))
    descending = render(source, request=request("/?sort=-n"))
    assert 'aria-sort="descending"' in descending
    assert 'href="?sort=n"' in descending
    assert 'aria-sort="ascending"' in render(source, request=request("/?sort=n"))
