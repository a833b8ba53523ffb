"""A metric's identity is one canonical text that reads back to the same identity."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import MetricError
from scoring.identity import MetricIdentity
from scoring.registry import METRICS, identity

PARAMS = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(lambda k: k not in ("variant", "stage", "judge", "k")),
    st.one_of(
        st.integers(-1000, 1000),
        st.floats(allow_nan=False, allow_infinity=False),
        st.booleans(),
        st.text(min_size=1, max_size=12).filter(lambda t: not any("\ud800" <= c <= "\udfff" for c in t)),
    ),
    max_size=4,
)


@given(PARAMS, st.one_of(st.none(), st.integers(1, 1000)), st.one_of(st.none(), st.just("reranked")), st.integers(1, 9))
def test_parsing_is_the_exact_inverse_of_the_text(params, k, stage, version):
    if k is not None:
        params = {**params, "k": k}
    made = MetricIdentity("retrieval.ndcg", params, stage=stage, version=version, judge="faith-zh@4", variant="a b")
    back = MetricIdentity.parse(made.text)
    assert back == made
    assert dict(back.params) == dict(made.params)
    assert hash(back) == hash(made)


def test_the_canonical_text_is_the_documented_one():
    assert identity("retrieval.ndcg", k=10).text == "retrieval.ndcg@10 gain=linear v1"
    assert identity("retrieval.ndcg", stage="reranked", k=10).text == "retrieval.ndcg@10 gain=linear stage=reranked v1"
    ragas = MetricIdentity("ragas.context_precision", {"ragas": "0.4.3"}, variant="with_reference", judge="faith-zh@4")
    assert ragas.text == "ragas.context_precision ragas=0.4.3 variant=with_reference judge=faith-zh@4 v1"
    short = "ragas.context_precision variant=with_reference ragas=0.4.3 judge=faith-zh@4"
    assert MetricIdentity.parse(short) == ragas


def test_a_text_that_looks_like_a_number_stays_a_text():
    made = MetricIdentity("ragas.x", {"ragas": "0.4"})
    assert MetricIdentity.parse(made.text).params["ragas"] == "0.4"


def test_every_registered_metric_has_a_definition_and_an_identity():
    for name, spec in METRICS.items():
        made = identity(name, **{param.name: 5 for param in spec.parameters if param.required})
        assert MetricIdentity.parse(made.text) == made
        assert spec.summary.endswith(".")
        assert spec.bounds[0] < spec.bounds[1]
        assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    "text", ["", "ndcg", "retrieval.ndcg@x", "retrieval.ndcg@5 gain", "retrieval.ndcg V1", "a.b v0"]
)
def test_a_malformed_identity_is_refused(text):
    with pytest.raises(MetricError):
        MetricIdentity.parse(text)


def test_a_parameter_that_is_not_finite_is_refused():
    with pytest.raises(MetricError, match="finite"):
        MetricIdentity("a.b", {"x": float("nan")})
    with pytest.raises(MetricError, match="stage"):
        MetricIdentity("a.b", {"stage": "x"})
