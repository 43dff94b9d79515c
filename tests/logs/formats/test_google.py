"""The request logs of Google Cloud's load balancers."""

import io

import pytest

from tests.support.entries import row
from urisect.logs import tables
from urisect.logs.formats.google import GCP_LOAD_BALANCER

FIRST, CACHED = GCP_LOAD_BALANCER.sample.splitlines()


def test_the_sample() -> None:
    assert row(GCP_LOAD_BALANCER, FIRST) == {
        "time": 847634136123456,
        "id": b"1oek5rg3l3fxj7",
        "client": b"192.0.2.7",
        "client_port": 51234,
        "method": b"GET",
        "target_scheme": b"https",
        "target_authority": b"example.com",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "status": 200,
        "bytes_received": 412,
        "bytes_sent": 2326,
        "duration": 0.052317,
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Lynx/2.6",
        "upstream": b"192.0.2.20",
        "response_details": b"response_sent_by_backend",
        "backend": b"web",
        "log": b"projects/example/logs/requests",
        "trace": b"projects/example/traces/0123456789abcdef0123456789abcdef",
    }
    assert row(GCP_LOAD_BALANCER, CACHED) == {
        "time": 847634137000000,
        "id": b"1oek5rg3l3fxj8",
        "client": b"2001:db8::7",
        "method": b"GET",
        "target_scheme": b"http",
        "target_authority": b"example.com",
        "target_path": b"/logo.png",
        "status": 304,
        "bytes_received": 310,
        "bytes_sent": 190,
        "agent": b"Lynx/2.6",
        "cache": b"true",
        "cache_lookup": b"true",
        "response_details": b"response_from_cache",
        "log": b"projects/example/logs/requests",
    }


@pytest.mark.parametrize(
    ("line", "parsed", "skipped"),
    [
        (b'{"logName":"x","timestamp":"1996-11-10T13:55:36Z","textPayload":"started"}', 0, 1),
        (b'{"logName":"x","httpRequest":{"requestUrl":"/"}}', 1, 0),
        (b'{"logName":"x","httpRequest":{"requestUrl":"/","latency":"slow"}}', 0, 0),
        (b'{"httpRequest":{"requestUrl":"/"}}', 0, 0),
    ],
)
def test_other_lines(line: bytes, parsed: int, skipped: int) -> None:
    [table] = tables(io.BytesIO(line), GCP_LOAD_BALANCER)
    assert (table.parsed, len(table.skipped)) == (parsed, skipped)
