"""Units as people write them after (or before) a number, and conversion between them by pint.

English and Chinese names map to one unit each; currencies and counted things have dimensions of their own, so that 30
yuan is never 30 dollars and 5 working days are never 5 days.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import pint

from scoring.answers.text import fold
from scoring.chars import is_cjk
from scoring.errors import ScoringError

#: Factor between calendar units (month, year) and exact ones (day, hour) is an average; such a comparison allows this.
CALENDAR_TOLERANCE = 0.02
_CALENDAR = frozenset({"month", "year", "quarter"})
_EXACT_TIME = frozenset({"day", "hour", "minute", "second", "week", "millisecond", "business_day"})

_NAMES: dict[str, str] = {
    "day": "day days d 天 日 个自然日 自然日 calendar-day calendar-days 日历日 昼夜",
    "business_day": "business-day business-days working-day working-days workday workdays 工作日 个工作日",
    "hour": "hour hours hr hrs h 小时 个小时 钟头 个钟头 个钟 时",
    "minute": "minute minutes min mins 分钟 分 min.",
    "second": "second seconds sec secs s 秒 秒钟",
    "millisecond": "millisecond milliseconds ms 毫秒",
    "week": "week weeks wk wks 周 星期 个星期 礼拜 个礼拜",
    "month": "month months mo mos 个月 月 个自然月",
    "quarter": "quarter quarters 季度 个季度",
    "year": "year years yr yrs 年 周年 year-old years-old 岁",
    "kilometer": "km kilometer kilometers kilometre kilometres 公里 千米",
    "meter": "m meter meters metre metres 米",
    "centimeter": "cm centimeter centimeters centimetre centimetres 厘米 公分",
    "millimeter": "mm millimeter millimeters millimetre millimetres 毫米",
    "micrometer": "μm um µm micrometer micrometers micron microns 微米",
    "nanometer": "nm nanometer nanometers 纳米",
    "mile": "mile miles mi 英里",
    "foot": "foot feet ft 英尺",
    "inch": 'inch inches in 英寸 寸 "',
    "yard": "yard yards yd 码",
    "kilogram": "kg kilogram kilograms kilogramme kilogrammes kilo kilos 公斤 千克",
    "gram": "g gram grams gramme grammes 克",
    "milligram": "mg milligram milligrams 毫克",
    "microgram": "mcg μg ug microgram micrograms 微克",
    "jin": "斤 市斤",
    "liang": "两",
    "metric_ton": "t ton tons tonne tonnes 吨",
    "pound": "lb lbs pound pounds 磅",
    "ounce": "oz ounce ounces 盎司",
    "liter": "l liter liters litre litres 升",
    "milliliter": "ml milliliter milliliters millilitre millilitres 毫升",
    "gallon": "gallon gallons gal 加仑",
    "square_meter": "m2 m² ㎡ sqm sq.m square-meter square-meters square-metre square-metres 平方米 平米 平方",
    "square_kilometer": "km2 km² square-kilometer square-kilometers square-kilometres 平方公里 平方千米",
    "square_foot": "sqft sq.ft ft2 ft² square-foot square-feet 平方英尺",
    "hectare": "hectare hectares ha 公顷",
    "mu_area": "亩",
    "cubic_meter": "m3 m³ cubic-meter cubic-meters cubic-metre cubic-metres 立方米 立方 方",
    "degree_Celsius": "°c ℃ c celsius degree-celsius degrees-celsius 摄氏度 度 degrees-c",
    "degree_Fahrenheit": "°f ℉ f fahrenheit degree-fahrenheit degrees-fahrenheit 华氏度 degrees-f",
    "kelvin": "k kelvin kelvins 开尔文 开",
    "watt": "w watt watts 瓦 瓦特",
    "kilowatt": "kw kilowatt kilowatts 千瓦",
    "megawatt": "mw megawatt megawatts 兆瓦",
    "kilowatt_hour": "kwh kw·h kilowatt-hour kilowatt-hours 千瓦时 度电",
    "volt": "v volt volts 伏 伏特",
    "ampere": "a amp amps ampere amperes 安 安培",
    "milliampere_hour": "mah 毫安时 毫安",
    "hertz": "hz hertz 赫兹 赫",
    "kilohertz": "khz 千赫 千赫兹",
    "megahertz": "mhz 兆赫 兆赫兹",
    "gigahertz": "ghz 吉赫",
    "pascal": "pa pascal pascals 帕 帕斯卡",
    "kilopascal": "kpa 千帕",
    "megapascal": "mpa 兆帕",
    "bar": "bar bars 巴",
    "joule": "j joule joules 焦 焦耳",
    "kilojoule": "kj 千焦",
    "calorie": "cal calorie calories 卡路里",
    "kilocalorie": "kcal kilocalorie kilocalories 千卡 大卡",
    "decibel_level": "db decibel decibels 分贝",
    "byte": "byte bytes 字节",
    "kilobyte": "kb kilobyte kilobytes 千字节",
    "megabyte": "mb megabyte megabytes 兆 兆字节",
    "gigabyte": "gb gigabyte gigabytes 吉字节",
    "terabyte": "tb terabyte terabytes 太字节",
    "bit": "bit bits 比特",
    "megabit_per_second": "mbps mbit/s mb/s. 兆每秒",
    "gigabit_per_second": "gbps",
    "kilometer_per_hour": "km/h kph kmh kilometers-per-hour kilometres-per-hour 公里/小时 千米/小时 公里每小时 "
    "千米每小时 km/hr",
    "mile_per_hour": "mph miles-per-hour 英里/小时",
    "meter_per_second": "m/s meters-per-second 米/秒 米每秒",
    "percentage_point": "percentage-point percentage-points pp 百分点 个百分点",
    "percent": "% percent per-cent pct ％",
    "CNY": "cny rmb yuan ¥ 元 块 块钱 元人民币 人民币 元整 人民币元",
    "CNY_jiao": "角 毛钱",
    "CNY_fen": "分钱",
    "USD": "usd dollar dollars $ us$ 美元 美金 刀",
    "USD_cent": "cent cents ¢ 美分",
    "EUR": "eur euro euros € 欧元",
    "GBP": "gbp £ pounds-sterling sterling 英镑",
    "JPY": "jpy yen 日元 日圆 円",
    "HKD": "hkd hk$ 港元 港币",
    "KRW": "krw won ₩ 韩元",
    "INR": "inr rupee rupees ₹ 卢比",
    "person": "person persons people 人 名 位 个人 名员工 employees",
    "time": "time times 次 回 趟",
    "item": "item items pc pcs piece pieces 个 件 台 只 张 条 支 套 款 项 部 辆 份 枚 把 家 种 瓶 盒 箱 本 册 篇 间 栋",
    "page": "page pages 页",
    "floor": "floor floors storey storeys stories 层 楼",
    "pixel": "px pixel pixels 像素",
    "share": "share shares 股",
    "word": "word words 字 词",
    "seat": "seat seats 座 座位",
}
_COUNTED = (
    "business_day",
    "percentage_point",
    "person",
    "item",
    "page",
    "floor",
    "share",
    "word",
    "seat",
    "decibel_level",
)
_CURRENCIES = ("CNY", "USD", "EUR", "GBP", "JPY", "HKD", "KRW", "INR")
_PREFIX = {"¥": "CNY", "￥": "CNY", "$": "USD", "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR"}
_PREFIX_WORDS = {
    "us$": "USD",
    "usd": "USD",
    "rmb": "CNY",
    "cny": "CNY",
    "eur": "EUR",
    "gbp": "GBP",
    "hk$": "HKD",
    "hkd": "HKD",
    "jpy": "JPY",
    "人民币": "CNY",
}
#: Single letters whose meaning depends on case or context are read only as written here.
_CASED = {"M": None, "K": "kelvin", "MB": "megabyte", "Mb": None, "mW": None, "MW": "megawatt"}

_ALIAS: dict[str, str] = {}
for _name, _words in _NAMES.items():
    for _alias in _words.split(" "):
        _ALIAS.setdefault(_alias.replace("-", " "), _name)
_LATIN = sorted((a for a in _ALIAS if not is_cjk(a[0])), key=len, reverse=True)
_CHINESE = sorted((a for a in _ALIAS if is_cjk(a[0])), key=len, reverse=True)
_AFTER_LATIN = re.compile(
    r"\)?\+?[\s-]?(" + "|".join(re.escape(a).replace(r"\ ", r"[\s-]") for a in _LATIN) + r")(?![a-z0-9²³])",
    re.IGNORECASE,
)
_AFTER_CHINESE = re.compile(r"\)?\s?(?:多|余|来|几)?(" + "|".join(map(re.escape, _CHINESE)) + ")")
_MARK = re.compile(r"(¥|￥|\$|€|£|₩|₹)\s?\Z")
_BEFORE_WORD = re.compile(
    r"(?:\b|(?<=[\u4e00-\u9fff]))(us\$|hk\$|usd|rmb|cny|eur|gbp|hkd|jpy|人民币)\s?\Z", re.IGNORECASE
)


@lru_cache(maxsize=1)
def _registry() -> Any:
    registry: Any = pint.UnitRegistry(autoconvert_offset_to_baseunit=False, cache_folder=None)
    for name in (*_COUNTED, *_CURRENCIES):
        registry.define(f"{name} = [{name}_dimension]")
    registry.define("CNY_jiao = 0.1 * CNY")
    registry.define("CNY_fen = 0.01 * CNY")
    registry.define("USD_cent = 0.01 * USD")
    registry.define("jin = 0.5 * kilogram")
    registry.define("liang = 0.05 * kilogram")
    registry.define("mu_area = 666.6666666666667 * meter ** 2")
    registry.define("pixel_count = [pixel_dimension]")
    registry.define("occurrence = [occurrence_dimension]")
    registry.define("quarter_year = 3 * month")
    return registry


_PINT_NAME = {
    "pixel": "pixel_count",
    "time": "occurrence",
    "quarter": "quarter_year",
    "milliampere_hour": "milliampere * hour",
    "megabit_per_second": "megabit / second",
    "gigabit_per_second": "gigabit / second",
    "kilometer_per_hour": "kilometer / hour",
    "mile_per_hour": "mile / hour",
    "meter_per_second": "meter / second",
    "square_meter": "meter ** 2",
    "square_kilometer": "kilometer ** 2",
    "square_foot": "foot ** 2",
    "cubic_meter": "meter ** 3",
}


@lru_cache(maxsize=1024)
def known_unit(text: str) -> str | None:
    """The canonical name of a unit as written (``"days"``, ``"个工作日"``), else a name that pint knows, else None."""
    raw = fold(text).strip()
    if _CASED.get(raw):
        return _CASED[raw]
    found = _ALIAS.get(raw.lower().replace("-", " ")) or (raw if raw in _NAMES else None)
    if found:
        return found
    if re.fullmatch(r"[A-Za-zµμ°/*^·0-9 ]{2,40}", raw):
        try:
            return str(_registry().parse_units(raw))
        except Exception:
            # pint raises half a dozen unrelated types for text that is not a unit; each means "unknown".
            return None
    return None


@lru_cache(maxsize=256)
def _unit(name: str) -> Any:
    return _registry().parse_units(_PINT_NAME.get(name, name))


def comparable(left: str, right: str) -> bool:
    """Whether two units measure the same thing."""
    if left == right:
        return True
    return bool(_unit(left).dimensionality == _unit(right).dimensionality) and "decibel" not in left + right


def convert(value: float, source: str, target: str) -> float:
    """The value in the target unit; raises ScoringError where the two measure different things."""
    if source == target:
        return value
    if not comparable(source, target):
        raise ScoringError(f"{source} and {target} measure different things")
    registry = _registry()
    return float(registry.Quantity(value, _unit(source)).to(_unit(target)).magnitude)


def calendar(left: str, right: str) -> bool:
    """True where one is a month or a year and the other is counted in days or less."""
    return (left in _CALENDAR and right in _EXACT_TIME) or (right in _CALENDAR and left in _EXACT_TIME)


def unit_after(text: str, end: int) -> tuple[str, int] | None:
    """The unit written right after a number, and where it ends. ``text`` is folded but keeps its case."""
    match = _AFTER_CHINESE.match(text, end) or _AFTER_LATIN.match(text, end)
    if match is None:
        return None
    written = match.group(1)
    if written in _CASED:
        name = _CASED[written]
        return (name, match.end()) if name else None
    return _ALIAS[re.sub(r"[\s-]", " ", written.lower())], match.end()


_PER = re.compile(
    r"(时速|每小时|每秒)(?:行驶|行进|前进|跑|飞行|可达|最高|高达|达到?|约|大约|为|是|限速|不超过|超过|[:：\s])*\Z"
)
_SPEED = {
    ("kilometer", "每小时"): "kilometer_per_hour",
    ("kilometer", "时速"): "kilometer_per_hour",
    ("mile", "每小时"): "mile_per_hour",
    ("mile", "时速"): "mile_per_hour",
    ("meter", "每秒"): "meter_per_second",
}


def speed_of(text: str, start: int, unit: str) -> str:
    """The unit of speed where a number with a unit of length follows 时速, 每小时 or 每秒, else the unit."""
    match = _PER.search(text, max(0, start - 12), start)
    return _SPEED.get((unit, match.group(1)), unit) if match else unit


def unit_before(text: str, start: int) -> str | None:
    """A currency mark or code written right before a number."""
    head = text[max(0, start - 6) : start]
    word = _BEFORE_WORD.search(head)
    if word:
        return _PREFIX_WORDS[word.group(1).lower()]
    mark = _MARK.search(head)
    return _PREFIX[mark.group(1)] if mark else None
