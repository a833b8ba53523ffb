"""The rule that reads refusals, in English and Chinese."""

import pytest

from scoring.refusal.detect import IDENTITY, detect

REFUSED = [
    "I do not have information on that. The documents only discuss pricing and billing of all the plans on sale.",
    "I don't know.",
    "I’m sorry, but I can't help with that.",
    "I do not have enough information to answer this question.",
    "The provided context does not mention the price of plan B.",
    "There is no information about this in the documents.",
    "This cannot be determined from the passages.",
    "Unfortunately, I could not find any details on that. Please contact support.",
    "The answer is not mentioned in the provided documents.",
    "No relevant information found.",
    "I'm not able to answer that. If you have other questions, let me know.",
    "Unanswerable",
    "抱歉，我无法回答这个问题。",
    "资料中没有提到该产品的价格。",
    "根据现有资料，无法确定具体日期。",
    "我不知道。",
    "没有找到相关信息，请联系客服。",
    "对不起，知识库中没有相关内容。如需帮助请拨打客服电话。",
    "文档未提及这一点。",
    "信息不足，无法回答。",
    "暂无相关资料。",
]
ANSWERED = [
    "The refund window is 30 days.",
    "No, the warranty does not cover water damage.",
    "Customers who cannot log in should reset their password.",
    "You cannot return opened items.",
    "No. Returns are not possible after 30 days.",
    "There is no fee.",
    "退货期为30天。",
    "不支持退款。",
    "不可以，超过30天不能退货。",
    "如果无法登录，请重置密码后再试，验证码有效期5分钟。",
    "没有年费。",
]
PARTIAL = [
    "Although the text does not specifically address this, it does stress regular physical activity for children.",
    "The document doesn't provide a method. It suggests that you can raise the score for each sample tube collected.",
    "The documents do not specify jail sentences, but you can opt for the Division of Child Support Services.",
    "Plan A costs 30 dollars. The documents do not mention plan B.",
    "I don't have information on plan B. However, plan A costs 30 dollars.",
    "资料中没有提到B套餐，A套餐是30元。",
    "A套餐是30元。资料未提及B套餐的价格。",
    "没有找到B套餐的信息，不过A套餐是每月三十元。",
]


@pytest.mark.parametrize("answer", REFUSED)
def test_a_refusal_is_recognised(answer):
    found = detect(answer)
    assert found.outcome == "refused"
    assert found.identity == IDENTITY
    assert found.span is not None
    assert answer.replace("’", "'")[slice(*found.span)]


@pytest.mark.parametrize("answer", ANSWERED)
def test_an_answer_with_a_negation_is_not_a_refusal(answer):
    assert detect(answer).outcome == "answered"


@pytest.mark.parametrize("answer", PARTIAL)
def test_an_answer_that_declines_a_part_is_partial(answer):
    assert detect(answer).outcome == "partial"


def test_an_empty_answer_says_nothing():
    assert detect("").outcome == "refused"


def test_a_very_long_answer_is_read_without_trouble():
    assert detect("字" * 200_000).outcome == "answered"
