"""中文里数字、单位、日期与否定的真实写法：四十余例，何者当过、何者不当过。"""

import pytest

from scoring.answers import check, validate

DAYS = {"type": "number", "value": 30, "unit": "天"}
YUAN = {"type": "number", "value": 30000, "unit": "元"}

NUMBERS = [
    (DAYS, "收货后30天内可以退货。", True),
    (DAYS, "收货后３０天内可以退货。", True),
    (DAYS, "三十天内可退。", True),
    (DAYS, "退货期为三十日。", True),
    (DAYS, "30个工作日内处理。", False),
    (DAYS, "不是30天，而是45天。", False),
    (DAYS, "不超过30天。", True),
    (DAYS, "3到30天。", False),
    (DAYS, "3-30天。", False),
    (DAYS, "大约一个月。", True),
    (DAYS, "期限是300天。", False),
    (DAYS, "期限是30。", False),
    (YUAN, "价格是3万元。", True),
    (YUAN, "价格是三万元。", True),
    (YUAN, "价格是３０，０００元。", True),
    (YUAN, "共30，000元不含税。", False),
    (YUAN, "价格是30,000元。", True),
    (YUAN, "价格是￥30000。", True),
    (YUAN, "价格是人民币30000元整。", True),
    (YUAN, "价格是3万美元。", False),
    (YUAN, "价格是三万五千元。", False),
    ({"type": "number", "value": 35000, "unit": "元"}, "三万五", False),
    ({"type": "number", "value": 35000, "unit": "元"}, "三万五千元", True),
    ({"type": "number", "value": 35000}, "三万五", True),
    ({"type": "number", "value": 12000, "unit": "元"}, "1.2万元", True),
    ({"type": "number", "value": 120_000_000, "unit": "元"}, "注册资本1亿2000万元", True),
    ({"type": "number", "value": 30_000_000}, "3千万用户", True),
    ({"type": "number", "value": 105}, "一百零五人", True),
    ({"type": "number", "value": 150}, "一百五", True),
    ({"type": "number", "value": 2500}, "两千五百", True),
    ({"type": "number", "value": 15, "unit": "%"}, "百分之十五", True),
    ({"type": "number", "value": 15, "unit": "%"}, "收取１５％的手续费", True),
    ({"type": "number", "value": 30, "unit": "%"}, "三成的用户", True),
    ({"type": "number", "value": 15, "unit": "%"}, "上升了15个百分点", False),
    ({"type": "number", "value": 0.5, "unit": "小时"}, "需要半小时", True),
    ({"type": "number", "value": 0.5, "unit": "小时"}, "需要半个小时", True),
    ({"type": "number", "value": 0.5, "unit": "小时"}, "需要30分钟", True),
    ({"type": "number", "value": 1.5, "unit": "小时"}, "需要一个半小时", True),
    ({"type": "number", "value": 2.5, "unit": "年"}, "需要两年半", True),
    ({"type": "number", "value": 2, "unit": "公斤"}, "净重四斤", True),
    ({"type": "number", "value": 5, "unit": "公里"}, "全程5000米", True),
    ({"type": "number", "value": -5, "unit": "摄氏度"}, "零下5摄氏度", True),
    ({"type": "number", "value": -5, "unit": "℃"}, "－5℃以下保存", True),
    ({"type": "number", "value": [3, 5], "unit": "天"}, "3至5天到货", True),
    ({"type": "number", "value": [3, 5], "unit": "天"}, "三到五天到货", True),
    ({"type": "number", "value": [30000, 50000], "unit": "元"}, "年薪3-5万元", True),
    ({"type": "number", "value": 24, "unit": "个月"}, "保修两年", True),
    ({"type": "number", "value": 3, "unit": "次"}, "每天三次", True),
    ({"type": "number", "value": 1}, "一般来说可以。", False),
    ({"type": "number", "value": 10}, "这款产品十分好用。", False),
    ({"type": "number", "value": 50, "unit": "元", "entity": "B套餐"}, "A套餐30元，B套餐50元。", True),
    ({"type": "number", "value": 30, "unit": "元", "entity": "B套餐"}, "A套餐30元，B套餐50元。", False),
    ({"type": "number", "value": 50, "unit": "元", "entity": "B套餐"}, "A套餐和B套餐分别为30元和50元。", True),
    ({"type": "number", "value": 30, "unit": "元", "entity": "B套餐"}, "A套餐和B套餐分别为30元和50元。", False),
    ({"type": "number", "value": 50, "unit": "元", "entity": "B套餐"}, "对于B套餐，价格是50元。", True),
]

DATES = [
    ("2026-03-01", "自2026年3月1日起施行。", True),
    ("2026-03-01", "自２０２６年３月１日起施行。", True),
    ("2026-03-01", "二〇二六年三月一日", True),
    ("2026-03-01", "2026年3月1号", True),
    ("2026-03-01", "2026/3/1", True),
    ("2026-03-01", "2026.03.01", True),
    ("2026-03-01", "2026年3月", False),
    ("2026-03", "2026年3月", True),
    ("2026", "2026年成立", True),
    ("2026-03-01", "2026年3月11日", False),
    ("2026-03-01", "并非2026年3月1日", False),
    ("2026-12-25", "二〇二六年十二月二十五日", True),
]

WORDS = [
    ({"type": "contains", "value": "退款"}, "本店支持退款。", True),
    ({"type": "contains", "value": "退款"}, "本店不支持退款。", False),
    ({"type": "contains", "value": "退款"}, "本店不仅支持退款，还支持换货。", True),
    ({"type": "contains", "value": "退款"}, "没有提供退款服务。", False),
    ({"type": "contains", "value": "押金"}, "无需押金。", False),
    ({"type": "contains", "value": "无需押金"}, "入住无需押金。", True),
    ({"type": "contains", "value": "发票"}, "未开具发票。", False),
    ({"type": "contains", "value": "发票"}, "无论金额大小都可以开发票。", True),
    ({"type": "contains", "value": "发票"}, "非常方便，可以开发票。", True),
    ({"type": "contains", "value": "退款"}, "不能不退款。", True),
    ({"type": "contains", "value": "换货"}, "不支持退款，但支持换货。", True),
    ({"type": "not_contains", "value": "免费"}, "本服务不免费。", True),
    ({"type": "not_contains", "value": "免费"}, "本服务免费。", False),
    ({"type": "contains", "value": "收视率为7.07"}, "首集收视率为7.07，15岁以下为4.2。", True),
    ({"type": "contains", "value": "因为下雨"}, "他没有来，因为下雨。", True),
    ({"type": "equals", "value": "北京"}, "北京。", True),
    ({"type": "one_of", "values": ["是", "是的"]}, "是的。", True),
    ({"type": "id", "value": "GB/T 19001"}, "符合GB/T 19001标准", True),
    ({"type": "id", "value": "X200"}, "型号为X200的打印机", True),
    ({"type": "id", "value": "X200"}, "型号为X2000的打印机", False),
]


@pytest.mark.parametrize(("assertion", "answer", "passes"), NUMBERS + WORDS)
def test_a_chinese_answer_is_read_as_people_mean_it(assertion, answer, passes):
    validate(assertion)
    result = check(assertion, answer)
    assert result.passed is passes, result


@pytest.mark.parametrize(("value", "answer", "passes"), DATES)
def test_a_chinese_date_is_read_as_people_mean_it(value, answer, passes):
    assertion = {"type": "date", "value": value}
    validate(assertion)
    assert check(assertion, answer).passed is passes
