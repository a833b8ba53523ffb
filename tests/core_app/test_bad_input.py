"""Bad input: a clear problem, nothing written, the server stays up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from tests.conftest import Cast
from tests.core_app.urls_for_tests import EchoView

pytestmark = pytest.mark.urls("tests.core_app.urls_for_tests")
URL = "/api/v1/echo"


@pytest.fixture(autouse=True)
def calls() -> Iterator[list[object]]:
    EchoView.calls.clear()
    yield EchoView.calls
    EchoView.calls.clear()


def send(cast: Cast, body: bytes, content_type: str = "application/json", url: str = URL) -> Any:
    api = cast.api("token")
    api.raise_request_exception = False
    return api.post(url, body, content_type=content_type)


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.content[:500]
    assert response["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert set(body) >= {"type", "title", "status", "detail", "code", "errors", "request_id"}
    assert (body["status"], body["code"]) == (status, code)
    assert body["request_id"] == response["X-Request-ID"]
    return body


def test_malformed_json_names_line_and_column(cast: Cast) -> None:
    body = problem(send(cast, b'{\n "name": "a",\n "refuse": tru\n}'), 400, "malformed")
    assert body["errors"][0]["line"] == 3
    assert "column 12" in body["errors"][0]["detail"]


def test_a_malformed_line_of_ndjson_names_its_line(cast: Cast) -> None:
    response = send(cast, b'{"a": 1}\n\n{"a": }\n', "application/x-ndjson", "/api/v1/lines")
    body = problem(response, 400, "malformed")
    assert body["errors"][0]["line"] == 3


@pytest.mark.parametrize("text", [b'{"name": NaN}', b'{"name": Infinity}', b" ", b"{} {}"])
def test_what_is_not_json_is_refused(cast: Cast, text: bytes) -> None:
    assert send(cast, text).status_code in {400, 422}
    assert EchoView.calls == []


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "latin-1"])
def test_a_wrong_encoding_names_the_byte(cast: Cast, encoding: str) -> None:
    text = {"latin-1": '{"name": "é"}'}.get(encoding, '{"name": "知识库"}')
    body = problem(send(cast, text.encode(encoding)), 400, "not_utf8")
    assert "byte" in body["errors"][0]["detail"]


def test_a_byte_order_mark_is_no_fault(cast: Cast) -> None:
    assert send(cast, b'\xef\xbb\xbf{"name": "a"}').status_code == 201


@pytest.mark.parametrize("bracket", [b"[", b'{"name":'])
def test_ten_thousand_nested_brackets_are_refused(cast: Cast, bracket: bytes) -> None:
    problem(send(cast, bracket * 10_000), 400, "too_deep")
    problem(send(cast, b'{"name": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"), 400, "too_deep")


def test_brackets_inside_a_string_are_text(cast: Cast) -> None:
    assert send(cast, b'{"name": "' + b"[{" * 10_000 + b'"}').status_code == 201


def test_a_very_long_number_is_refused_and_not_a_fault(cast: Cast) -> None:
    problem(send(cast, b'{"name": ' + b"9" * 10_000 + b"}"), 400, "malformed")


def test_fifty_megabytes_of_json_are_refused(cast: Cast) -> None:
    response = send(cast, b'{"name": "' + b"a" * (50 * 1024 * 1024) + b'"}')
    problem(response, 413, "too_large")
    assert EchoView.calls == []


def test_more_than_declared_is_not_read_and_a_body_over_the_limit_is_refused_where_django_reads_it(cast: Cast) -> None:
    response = send(cast, b"a" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1), "text/plain", "/api/v1/body")
    problem(response, 413, "too_large")


def test_an_unknown_field_is_named(cast: Cast) -> None:
    body = problem(send(cast, b'{"name": "a", "naem": 1, "x/y": 2}'), 422, "invalid")
    assert [error["pointer"] for error in body["errors"]] == ["/naem", "/x~1y"]
    assert {error["code"] for error in body["errors"]} == {"unknown_field"}


@pytest.mark.parametrize("text", [b"[]", b"3", b'"name"', b"null"])
def test_a_body_that_is_no_object_is_refused(cast: Cast, text: bytes) -> None:
    body = problem(send(cast, text), 422, "invalid")
    assert body["errors"][0]["code"] == "not_an_object"


def test_another_content_type_is_415(cast: Cast) -> None:
    problem(send(cast, b"<a/>", "application/xml"), 415, "unsupported_media_type")


def test_another_method_is_405_and_says_which_are_allowed(cast: Cast) -> None:
    response = cast.api("token").put(URL, {})
    problem(response, 405, "method_not_allowed")
    assert "POST" in response["Allow"]


@pytest.mark.parametrize("path", ["/api/v1/nothing-here", "/api/", "/api/v2/runs", "/api/v1/teams/support/"])
def test_an_unknown_address_under_api_is_a_problem(cast: Cast, path: str) -> None:
    problem(cast.api("token").get(path), 404, "not_found")


def test_an_unknown_page_is_a_page(cast: Cast) -> None:
    response = cast.client("viewer").get("/nothing-here")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("url", ["/api/v1/crash", URL])
def test_a_fault_is_a_bare_500_without_a_traceback(cast: Cast, url: str) -> None:
    response = send(cast, b'{"crash": true}', url=url)
    problem(response, 500, "server_error")
    assert b"secret" not in response.content
    assert b"Traceback" not in response.content


def test_a_fault_on_a_page_is_a_page_without_a_traceback(cast: Cast) -> None:
    client = cast.client("viewer")
    client.raise_request_exception = False
    response = client.get("/crash")
    assert response.status_code == 500
    assert b"secret" not in response.content


def test_nobody_gets_401_with_the_way_to_authenticate(cast: Cast) -> None:
    response = cast.api("anonymous").post(URL, {})
    problem(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", ["Bearer", "Bearer nonsense", "Bearer a b", "bearer \xff"])
def test_a_bad_token_is_401(cast: Cast, header: str) -> None:
    api = cast.api("anonymous")
    problem(api.post(URL, {}, headers={"Authorization": header}), 401, "authentication_failed")


def test_a_host_that_is_not_ours_is_refused(cast: Cast) -> None:
    problem(cast.api("token").get(URL, headers={"Host": "evil.example"}), 400, "malformed")


@pytest.mark.parametrize(
    "path", ["/api/v1/teams/support%00x", "/api/v1/audit/events?actor=a%00b", "/t/support/audit/?actor=%00"]
)
def test_a_null_character_in_an_address_is_refused(cast: Cast, path: str) -> None:
    response = cast.api("steward").get(path)
    assert response.status_code == 400
    assert b"null character" in response.content


@pytest.mark.parametrize("text", ["\\u0000", "a\\ud800b", "\\udfff"])
def test_a_text_that_no_database_keeps_is_refused_with_its_place(cast: Cast, text: str) -> None:
    body = problem(send(cast, b'{"name": [{"x": "%s"}]}' % text.encode()), 400, "unstorable_text")
    assert body["errors"][0]["pointer"] == "/name/0/x"


def test_a_surrogate_pair_and_a_written_out_escape_are_text(cast: Cast) -> None:
    response = send(cast, b'{"name": "\\ud83d\\ude00 \\\\u0000"}')
    assert response.json()["data"] == {"name": "\U0001f600 \\u0000"}
