"""The logs of Cloudflare, Fastly and Akamai that are JSON lines."""

import json

import pytest

from tests.support.entries import row
from urisect.logs.formats import Format
from urisect.logs.formats.cdn import AKAMAI, CLOUDFLARE, FASTLY


def test_cloudflare() -> None:
    first, second = (row(CLOUDFLARE, line) for line in CLOUDFLARE.sample.splitlines())
    assert first == {
        "time": 847634136000000,
        "end_time": 847634136000000,
        "id": b"0123456789abcdef",
        "client": b"192.0.2.7",
        "client_port": 51234,
        "country": b"us",
        "client_network": 64496,
        "method": b"GET",
        "scheme": b"https",
        "host": b"example.com",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "protocol": b"HTTP/2",
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Lynx/2.6",
        "status": 200,
        "bytes": 2326,
        "bytes_sent": 2901,
        "bytes_received": 412,
        "media_type": b"text/html",
        "first_byte_duration": 0.052,
        "cache": b"hit",
        "edge": b"LAX",
        "upstream_duration": 0.0,
        "tls_protocol": b"TLSv1.3",
        "tls_cipher": b"AEAD-AES128-GCM-SHA256",
        "zone": b"example.com",
    }
    assert second == {
        "time": 847634137250000,
        "id": b"0123456789abcdf0",
        "client": b"2001:db8::7",
        "method": b"POST",
        "host": b"example.com",
        "target_path": b"/wp-login.php",
        "status": 403,
        "bytes_sent": 4521,
        "action": b"block",
    }


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"EdgeStartTimestamp": "1996-11-10T13:55:36Z"}, {"time": 847634136000000}),
        ({"EdgeStartTimestamp": 847634136}, {"time": 847634136000000}),
        ({"EdgeStartTimestamp": 847634136123456789}, {"time": 847634136123456}),
        ({"EdgeResponseStatus": 0, "OriginResponseStatus": 0}, {}),
        ({"ClientSSLProtocol": "none", "ClientSSLCipher": "NONE", "ClientRequestReferer": ""}, {}),
        ({"ClientRequestPath": "/b"}, {}),
    ],
)
def test_values_of_cloudflare(entry: dict[str, object], expected: dict[str, object]) -> None:
    assert row(CLOUDFLARE, json.dumps({"ClientRequestURI": "/a"} | entry)) == {"target_path": b"/a"} | expected


def test_fastly() -> None:
    first, second = (row(FASTLY, line) for line in FASTLY.sample.splitlines())
    assert first == {
        "time": 847634136000000,
        "client": b"192.0.2.7",
        "country": b"united states",
        "method": b"GET",
        "host": b"example.com",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "protocol": b"HTTP/1.1",
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Lynx/2.6",
        "status": 200,
        "bytes": 2326,
        "cache": b"HIT-CLUSTER",
        "server": b"cache-lax1000001-LAX",
    }
    assert second == {
        "time": 847634137000000,
        "client": b"2001:db8::7",
        "country": b"US",
        "method": b"GET",
        "host": b"example.com",
        "target_path": b"/old",
        "agent": b"Lynx/2.6",
        "status": 404,
        "duration": 0.052,
        "cache": b"MISS",
        "service": b"0123456789abcdefABCDEF",
    }


def test_akamai() -> None:
    first, second = (row(AKAMAI, line) for line in AKAMAI.sample.splitlines())
    assert first == {
        "time": 847634136123000,
        "id": b"1239f220",
        "client": b"192.0.2.7",
        "country": b"US",
        "method": b"GET",
        "scheme": b"HTTPS",
        "host": b"example.com",
        "server_port": 443,
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Mozilla/2.0%20(compatible)",
        "status": 200,
        "bytes": 2326,
        "bytes_sent": 2901,
        "media_type": b"text/html",
        "duration": 0.052,
        "processing_duration": 0.011,
        "cache": b"1",
        "server_address": b"198.51.100.1",
        "tls_protocol": b"TLSv1.3",
        "content_code": b"123456",
        "log_stream": b"12345",
    }
    assert second is not None
    assert (second["status"], second["error"]) == (403, b"ERR_ACCESS_DENIED|fwd_acl")
    assert "target_query" not in second


@pytest.mark.parametrize(
    ("format", "line"),
    [
        (CLOUDFLARE, '{"EdgeResponseStatus":200}'),
        (CLOUDFLARE, '{"ClientRequestURI":"/","EdgeStartTimestamp":"soon"}'),
        (FASTLY, '{"url":"/","client_ip":"192.0.2.7","status":200}'),
        (FASTLY, '{"client_ip":"192.0.2.7","is_tls":"true"}'),
        (FASTLY, '{"url":"/","is_tls":"true"}'),
        (AKAMAI, '{"reqPath":"/","statusCode":"200"}'),
        (AKAMAI, '{"reqPath":"/","reqTimeSec":"847634136"}'),
    ],
)
def test_other_lines_are_rejected(format: Format, line: str) -> None:
    assert row(format, line) is None
