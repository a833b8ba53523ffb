"""Words of users and the words of the documents for the same thing, as a support editor keeps them.

Written from the documents and from dev questions. Each line is a group; a query word brings the rest of its
group along.
"""

from __future__ import annotations

from collections import defaultdict

from examples.kb.text import tokenize

# How much a word counts that the user did not write.
ADDED_WEIGHT = 0.5

_GROUPS = """
heavy weighs weight
battery pack
box carton
handset phone smartphone
connect pair
screen display
price cost fee
bicycle bike
send return
stolen theft thief
photo photograph
repair service
subscription plan
alarm siren
拆下 卸掉
故障 毛病
手机 电话
电池 蓄电池
官网 官方商城
快递 快件 物流
删除 清除
保养 养护
收费 费用
尺寸 大小
多重 公斤
"""


def _build() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = defaultdict(set)
    for line in _GROUPS.split("\n"):
        group = [tokenize(word) for word in line.split()]
        for index, tokens in enumerate(group):
            heads = [token for token in tokens if len(token) > 1]
            for head in heads:
                for other in group[:index] + group[index + 1 :]:
                    table[head].update(token for token in other if len(token) > 1)
    return {head: frozenset(others - {head}) for head, others in table.items()}


_TABLE = _build()


def related(token: str) -> frozenset[str]:
    """The tokens of the other words of a token's group; empty for a token without one."""
    return _TABLE.get(token, frozenset())
