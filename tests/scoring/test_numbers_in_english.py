"""How people write numbers, units, dates and negations in English: what must pass and what must not."""

import pytest

from scoring.answers import check, validate

DAYS = {"type": "number", "value": 30, "unit": "day"}
USD = {"type": "number", "value": 1250, "unit": "USD"}

NUMBERS = [
    (DAYS, "You can return it within 30 days of delivery.", True),
    (DAYS, "You can return it within thirty (30) days.", True),
    (DAYS, "The window is thirty days.", True),
    (DAYS, "You have a 30-day window.", True),
    (DAYS, "You have 30 business days.", False),
    (DAYS, "You have 45 days, not 30 days.", False),
    (DAYS, "It is not 30 days.", False),
    (DAYS, "Between 3 and 30 days.", False),
    (DAYS, "It takes 3-30 days.", False),
    (DAYS, "No later than 30 days after the purchase.", True),
    (DAYS, "The window is 30.", False),
    (DAYS, "The window is 300 days.", False),
    (DAYS, "The window is 30.5 days.", False),
    (DAYS, "About one month.", True),
    (DAYS, "720 hours", True),
    ({**DAYS, "unit_optional": True}, "30", True),
    (USD, "It costs $1,250.00 a year.", True),
    (USD, "It costs US$1,250.", True),
    (USD, "The price is 1250 USD.", True),
    (USD, "It costs €1,250.", False),
    (USD, "It costs $1.25k.", True),
    (USD, "It costs twelve hundred and fifty dollars.", True),
    (USD, "It costs one thousand two hundred and fifty dollars.", True),
    (USD, "It costs $12,500.", False),
    ({"type": "number", "value": 3_200_000}, "3.2M users", True),
    ({"type": "number", "value": 3_200_000}, "3.2 million users", True),
    ({"type": "number", "value": 1_500_000_000, "unit": "USD"}, "The market is worth $1.5bn.", True),
    ({"type": "number", "value": 15, "unit": "%"}, "Fifteen percent of the fee is kept.", True),
    ({"type": "number", "value": 15, "unit": "%"}, "The rate is 0.15.", True),
    ({"type": "number", "value": 15, "unit": "%"}, "It rose by 15 percentage points.", False),
    ({"type": "number", "value": 15}, "The rate is 15%.", True),
    ({"type": "number", "value": 0.5, "unit": "hour"}, "It takes half an hour.", True),
    ({"type": "number", "value": 0.5, "unit": "hour"}, "It takes 30 minutes.", True),
    ({"type": "number", "value": 2.5, "unit": "year"}, "two and a half years", True),
    ({"type": "number", "value": 0.75}, "three quarters of the staff", True),
    ({"type": "number", "value": 5, "unit": "km"}, "The range is 5,000 metres.", True),
    ({"type": "number", "value": 5, "unit": "km", "rel_tol": 0.01}, "3.1 miles", True),
    ({"type": "number", "value": 5, "unit": "km"}, "3.1 miles", False),
    ({"type": "number", "value": 100, "unit": "°C"}, "Water boils at 212 °F.", True),
    ({"type": "number", "value": -5, "unit": "°C"}, "Store it at -5 °C or below.", True),
    ({"type": "number", "value": -5, "unit": "°C"}, "minus 5 degrees Celsius", True),
    ({"type": "number", "value": -5, "unit": "°C"}, "Store it at 5 °C.", False),
    ({"type": "number", "value": [3, 5], "unit": "day"}, "Shipping takes 3 to 5 days.", True),
    ({"type": "number", "value": [3, 5], "unit": "day"}, "Shipping takes 3–5 days.", True),
    ({"type": "number", "value": [3, 5], "unit": "day"}, "Shipping takes 5 days.", False),
    ({"type": "number", "value": 24, "unit": "month"}, "a two-year warranty", True),
    ({"type": "number", "value": 12}, "a dozen eggs", True),
    ({"type": "number", "value": 512, "unit": "GB"}, "512GB of storage", True),
    ({"type": "number", "value": 5000, "unit": "mAh"}, "a 5,000mAh battery", True),
    ({"type": "number", "value": 7}, "see section 7.3", False),
    ({"type": "number", "value": 50, "unit": "USD", "entity": "Pro"}, "Basic costs $30 and Pro costs $50.", True),
    ({"type": "number", "value": 30, "unit": "USD", "entity": "Pro"}, "Basic costs $30 and Pro costs $50.", False),
    (
        {"type": "number", "value": 50, "unit": "USD", "entity": "Pro"},
        "Basic and Pro cost $30 and $50 respectively.",
        True,
    ),
    (
        {"type": "number", "value": 30, "unit": "USD", "entity": "Pro"},
        "Basic and Pro cost $30 and $50 respectively.",
        False,
    ),
    ({"type": "number", "value": 50, "unit": "USD", "entity": "Pro"}, "It is $30 for Basic, $50 for Pro.", True),
    ({"type": "number", "value": 50, "unit": "USD", "entity": "Pro"}, "For Pro, the price is $50.", True),
    ({"type": "number", "value": 50, "unit": "USD", "entity": "Pro"}, "| Basic | $30 |\n| Pro | $50 |", True),
    (
        {"type": "number", "value": 50, "unit": "USD", "entity": "Pro"},
        "The Pro plan, unlike Basic at $30, costs $50.",
        True,
    ),
    (
        {"type": "number", "value": 30, "unit": "USD", "entity": "Pro"},
        "The Pro plan, unlike Basic at $30, costs $50.",
        False,
    ),
    (DAYS, "The limit is not 45 days but 30 days.", True),
    (DAYS, "It is not true that the limit is 30 days.", False),
    (DAYS, "less than 30 days", True),
    (DAYS, "30+ days", True),
    (DAYS, "~30 calendar days", True),
    (DAYS, "a 30\u2011day period", True),
    ({"type": "number", "value": 90, "unit": "minute"}, "It takes 1 hour and 30 minutes.", True),
    ({"type": "number", "value": 90, "unit": "minute"}, "1 h 30 min", True),
    ({"type": "number", "value": 90, "unit": "minute"}, "It takes an hour and a half.", True),
    ({"type": "number", "value": 90, "unit": "minute"}, "1.5 hours", True),
    ({"type": "number", "value": 30, "unit": "minute"}, "It takes 1 hour and 30 minutes.", False),
    ({"type": "number", "value": 1, "unit": "hour"}, "It takes an hour.", True),
    ({"type": "number", "value": 1, "unit": "day"}, "Three times a day.", False),
    ({"type": "number", "value": 1.88, "unit": "m", "abs_tol": 0.005}, "6 ft 2 in", True),
    ({"type": "number", "value": 1.8, "unit": "m"}, "180 cm", True),
    ({"type": "number", "value": 65, "unit": "mph", "rel_tol": 0.01}, "about 105 km/h", True),
    ({"type": "number", "value": 65, "unit": "mph"}, "65 miles per hour", True),
    ({"type": "number", "value": 1_234_567.89}, "1,234,567.89", True),
    ({"type": "number", "value": 2e6, "unit": "USD"}, "two million dollars", True),
    ({"type": "number", "value": -40, "unit": "°C"}, "\u221240 °F", True),
    ({"type": "number", "value": 0.5, "unit": "%"}, "half a percent", True),
    ({"type": "number", "value": [10, 20], "unit": "%"}, "10 to 20 percent", True),
    ({"type": "number", "value": [10, 20], "unit": "%"}, "between 10% and 20%", True),
    ({"type": "number", "value": [-10, -5], "unit": "°C"}, "-10 to -5 °C", True),
    ({"type": "number", "value": [3, 5], "unit": "day"}, "3 - 5 days", True),
]

DATES = [
    ("2026-03-01", "It starts on March 1, 2026.", True),
    ("2026-03-01", "It starts on 1 March 2026.", True),
    ("2026-03-01", "from the 1st of March, 2026", True),
    ("2026-03-01", "Effective 2026-03-01.", True),
    ("2026-03-01", "Effective 03/01/2026.", True),
    ("2026-03-01", "Mar. 1st, 2026", True),
    ("2026-03-01", "It starts in March 2026.", False),
    ("2026-03", "It starts in March 2026.", True),
    ("2026-03", "It starts on March 1, 2026.", True),
    ("2026", "founded in 2026", True),
    ("2026-03-01", "It starts on March 11, 2026.", False),
    ("2026-03-01", "It does not start on March 1, 2026.", False),
    ("2026-03-01", "It starts on March 1.", False),
    ("2026-03-01", "Sunday, 1 March 2026", True),
    ("2026-03-01", "on March first, 2026", True),
    ("2026-03-01", "the twenty-first of March 2026", False),
    ("2026-03-01", "2026-03-01T08:00:00Z", True),
    ("2026-03-01", "01-Mar-2026", True),
    ("2026-03", "valid until 03/2026", True),
    ("2026-03-01", "May 1, 2026", False),
]

WORDS = [
    ({"type": "contains", "value": "charger"}, "It comes with a charger.", True),
    ({"type": "contains", "value": "charger"}, "It does not come with a charger.", False),
    ({"type": "contains", "value": "charger"}, "It doesn't include cables or a charger.", False),
    ({"type": "contains", "value": "charger"}, "It includes not only cables but also a charger.", True),
    ({"type": "contains", "value": "charger"}, "No cables are included, but a charger is.", True),
    ({"type": "contains", "value": "charger"}, "Without a charger.", False),
    ({"type": "contains", "value": "charger"}, "Chargers are sold apart.", False),
    ({"type": "contains", "value": "charger", "negation": "ignore"}, "It has no charger.", True),
    ({"type": "contains", "value": "iPhone 15"}, "The iPhone 15 Pro is out.", True),
    ({"type": "contains", "value": "iPhone 15"}, "The iPhone 150 is out.", False),
    ({"type": "contains", "value": ["red", "blue"]}, "Red and blue.", True),
    ({"type": "contains", "value": ["red", "blue"]}, "Red only.", False),
    ({"type": "contains", "any_of": ["red", "blue"]}, "Red only.", True),
    ({"type": "not_contains", "value": "water damage"}, "It covers water damage.", False),
    ({"type": "not_contains", "value": "water damage"}, "It does not cover water damage.", True),
    ({"type": "not_contains", "value": "water damage"}, "It covers theft.", True),
    ({"type": "equals", "value": "Paris"}, "**paris**.", True),
    ({"type": "equals", "value": "Paris"}, "Paris, France", False),
    ({"type": "one_of", "values": ["yes", "y"]}, "Yes.", True),
    ({"type": "one_of", "values": ["yes"], "others": ["no"], "match": "contains"}, "Yes, and no.", False),
    ({"type": "id", "value": "AB-1234"}, "Order part AB‑1234 today.", True),
    ({"type": "id", "value": "AB-1234"}, "Order part AB-12345 today.", False),
    ({"type": "id", "value": "AB-1234", "ignore_separators": True}, "Order part AB 1234 today.", True),
    ({"type": "regex", "pattern": r"ISO\s?9001"}, "certified to ISO 9001", True),
]


@pytest.mark.parametrize(("assertion", "answer", "passes"), NUMBERS + WORDS)
def test_an_english_answer_is_read_as_people_mean_it(assertion, answer, passes):
    validate(assertion)
    result = check(assertion, answer)
    assert result.passed is passes, result
    if result.passed and assertion["type"] != "not_contains":
        assert result.span is not None
        assert 0 <= result.span[0] < result.span[1] <= len(answer)


@pytest.mark.parametrize(("value", "answer", "passes"), DATES)
def test_an_english_date_is_read_as_people_mean_it(value, answer, passes):
    assertion = {"type": "date", "value": value}
    validate(assertion)
    assert check(assertion, answer).passed is passes


def test_an_ambiguous_numeric_date_follows_day_first():
    april = {"type": "date", "value": "2026-04-03"}
    assert check({**april, "day_first": True}, "03/04/2026").passed
    assert not check({**april, "day_first": False}, "03/04/2026").passed


def test_a_date_without_a_year_counts_only_where_allowed():
    assertion = {"type": "date", "value": "2026-03-01", "year_optional": True}
    assert check(assertion, "on March 1").passed


def test_tolerance_in_days_is_inclusive():
    assertion = {"type": "date", "value": "2026-03-01", "tolerance_days": 2}
    assert check(assertion, "February 27, 2026").passed
    assert not check(assertion, "February 26, 2026").passed
