"""A denial is read where it stands: before the words, after them, and not where something else is denied."""

import pytest

from scoring.answers import check, validate

DENIED = [
    ("charger", "The charger is not included."),
    ("charger", "A charger isn't included in the box."),
    ("charger", "The charger cable was never part of the box."),
    ("charger", "It comes without a charger."),
    ("Paris", "Paris is not the capital of Australia."),
    ("refund", "A refund is currently not possible."),
    ("refunds", "Refunds are no longer offered."),
    ("smoking", "Smoking is prohibited."),
    ("parking", "Parking is unavailable on Sundays."),
    ("the warranty", "The warranty does not apply."),
    ("invoice", "An invoice can't be issued."),
    ("water damage", "Water damage is excluded."),
    ("30 days", "30 days is not the limit."),
    ("30 days", "30 days isn't correct."),
    ("30 days", "The figure of 30 days is wrong."),
    ("30 days", "30 days? No, it is 45."),
    ("退款", "退款不支持。"),
    ("退款", "退款服务暂不提供。"),
    ("退款", "退款目前没有开通。"),
    ("退款", "退款功能已取消。"),
    ("押金", "押金不需要。"),
    ("发票", "发票不能开。"),
    ("吸烟", "禁止吸烟。"),
    ("吸烟", "吸烟是禁止的。"),
    ("运费", "运费不收取。"),
    ("会员价", "会员价不适用于本商品。"),
    ("巴黎", "巴黎并非澳大利亚的首都。"),
    ("30天", "30天不是上限。"),
    ("30天", "30天并非期限。"),
    ("30天", "30天这一说法并不准确。"),
    ("30天", "30天？不对，是45天。"),
    ("30天", "并非30天。"),
]
STATED = [
    ("warranty", "The warranty does not cover water damage."),
    ("warranty", "The warranty is not transferable."),
    ("charger", "The charger, which is not sold apart, comes with it."),
    ("charger", "The charger is not only included but also free."),
    ("charger", "The charger is not the only accessory."),
    ("charger", "The charger is included, and the cable is not."),
    ("free delivery", "Free delivery is offered, but it is not available on Sundays."),
    ("refund", "You will get a refund no matter what."),
    ("30 days", "Returns after 30 days are not accepted."),
    ("30 days", "Orders cannot be returned. The limit was 30 days."),
    ("30 days", "30 days, not 45."),
    ("it", "It is not true that it is not the capital."),
    ("退款", "退款不需要手续费。"),
    ("退款", "支持退款，不支持换货。"),
    ("退款", "并非不能退款。"),
    ("退款", "退款不仅支持，而且免费。"),
    ("退款", "退款不超过三个工作日。"),
    ("30天", "超过30天不能退货。"),
    ("30天", "30天内不支持换货。"),
    ("30天", "30天不仅是上限，也是下限。"),
]


@pytest.mark.parametrize(("value", "answer"), DENIED)
def test_a_denial_before_or_after_the_words_is_a_denial(value, answer):
    found = check({"type": "contains", "value": value}, answer)
    assert not found.passed
    assert answer[slice(*found.span)].casefold() == value.casefold()
    assert check({"type": "not_contains", "value": value}, answer).passed
    assert check({"type": "contains", "value": value, "negation": "ignore"}, answer).passed


@pytest.mark.parametrize(("value", "answer"), STATED)
def test_words_of_which_something_else_is_denied_are_stated(value, answer):
    assert check({"type": "contains", "value": value}, answer).passed
    assert not check({"type": "not_contains", "value": value}, answer).passed


@pytest.mark.parametrize(
    ("assertion", "answer", "passes"),
    [
        ({"type": "number", "value": 30, "unit": "day"}, "30 days is not the limit.", False),
        ({"type": "number", "value": 30, "unit": "day"}, "Returns after 30 days are not accepted.", True),
        ({"type": "number", "value": 30, "unit": "天"}, "30天的说法是错误的。", False),
        ({"type": "number", "value": 30, "unit": "天"}, "超过30天不予退款。", True),
        ({"type": "number", "value": 30, "unit": "天"}, "期限不是45天而是30天。", True),
        ({"type": "date", "value": "2026-03-01"}, "March 1, 2026 is not the effective date.", False),
        ({"type": "date", "value": "2026-03-01"}, "2026年3月1日不是生效日。", False),
        ({"type": "date", "value": "2026-03-01"}, "Not before March 1, 2026.", True),
        ({"type": "date", "value": "2026-03-01"}, "不早于2026年3月1日。", True),
        ({"type": "date", "value": "2026-03-01"}, "2026年3月1日前未提交的申请无效。", True),
    ],
)
def test_numbers_and_dates_are_denied_only_by_what_says_that_they_are_wrong(assertion, answer, passes):
    validate(assertion)
    assert check(assertion, answer).passed is passes
