"""Formats built for JSON lines whose members have well-known names."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive
from urisect.logs.formats.json_lines import json_lines
from urisect.logs.input.json_detection import WELL_KNOWN_MEMBERS, build_json_format


def built(*entries: object) -> str | None:
    """The text of the format built for some entries."""
    format = build_json_format([json.dumps(entry).encode() for entry in entries])
    return format.name.removeprefix("json:") if format else None


REQUEST = "GET /a?b=c HTTP/1.1"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"request": REQUEST}, "request=request"),
        ({"request": REQUEST, "status": 200, "method": "GET", "protocol": "HTTP/1.1"}, "request=request,status=status"),
        ({"message": REQUEST, "remote_addr": "192.0.2.7:80"}, "request=message,client=remote_addr"),
        ({"request": "GET /a HTTP/1.1", "uri": "/a", "args": "b=c"}, "request=request"),
        ({"request": REQUEST, "request_uri": "/a?b=c"}, "target=request_uri"),
        ({"request": REQUEST, "url": "http://example.com/a"}, "target=url"),
        ({"request": "started"}, None),
        ({"request": "GET /a"}, None),
        ({"request": "/a", "uri": "/b"}, "target=uri"),
        ({"uri": "/a", "args": "b=c"}, "target_path=uri,target_query=args"),
        ({"uri": "/a", "args": "?b"}, "target=uri"),
        ({"uri": "/a", "args": ""}, "target_path=uri,target_query=args"),
        ({"uri": "/a?b=c", "args": "b=c"}, "target=uri"),
        ({"url": "http://example.com/a", "query": "b=c"}, "target=url"),
        ({"path": "/search", "query": "red shoes"}, "target=path"),
        ({"path": "/search", "query": "shoes"}, "target=path"),
        ({"path": "/graphql", "query": "{ a(b = 1) }"}, "target=path"),
        ({"path": "/a", "query": {"b": "c"}}, "target=path"),
        ({"url": {"path": "/a", "query": "b=c"}}, "target_path=url.path,target_query=url.query"),
        ({"url": "/", "date": "1996-11-10", "time": "13:55:36"}, "target=url,time=date+time"),
        ({"url": "/", "ts": 847634136123}, "target=url,time=ts"),
        ({"url": "/", "duration_ms": 1.5, "size": 7}, "target=url,bytes=size,duration=duration_ms:ms"),
        ({"url": "/", "request_time": "0.052"}, "target=url,duration=request_time"),
        ({"url": "/", "request_time": "1996-11-10T13:55:36Z"}, "target=url"),
        (
            {"url": "/", "headers": {"USER-AGENT": "Lynx", "Host": "example.com"}},
            "target=url,agent=headers.user-agent,host=headers.host",
        ),
        ({"message": "started"}, None),
        ({}, None),
        ([], None),
    ],
)  # fmt: skip
def test_chosen_members(entry: object, expected: str | None) -> None:
    assert built(entry) == expected


def test_a_query_in_any_line_decides() -> None:
    with_query = {"request": "GET /a?b HTTP/1.1", "uri": "/a"}
    without = {"request": "GET / HTTP/1.1", "uri": "/"}
    assert built(without, with_query) == "request=request"
    assert built({"uri": "/a", "args": "", "request": "-"}, {"uri": "/b", "args": "c=d"}) == (
        "target_path=uri,target_query=args"
    )


def test_half_of_the_lines_must_be_objects_with_a_target() -> None:
    entry = {"request": REQUEST}
    assert built(entry, {}) == "request=request"
    assert built(entry, {}, {}) is None
    assert built(entry, [], []) is None


@pytest.mark.parametrize("column", WELL_KNOWN_MEMBERS)
def test_every_member_is_an_item(column: str) -> None:
    for path in WELL_KNOWN_MEMBERS[column]:
        assert json_lines(f"{column}={path}").columns


@given(st.lists(naive.octets.map(lambda line: line.replace(b"\n", b"")), min_size=1))
def test_any_lines_have_a_format_or_none(lines: list[bytes]) -> None:
    assert build_json_format(lines) is None or any(line.strip().endswith(b"}") for line in lines)
