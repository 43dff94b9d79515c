"""The formats of Amazon: load balancers, S3 and CloudFront; missing and additional fields at the ends of lines."""

import io
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.targets import split_target
from urisect import split
from urisect.logs import Format, Rejected, Table, tables
from urisect.logs.formats.aws import ALB, CLOUDFRONT, COLUMN_MEANINGS, ELB, NLB, S3
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.w3c import W3C

FORMATS = [ALB, NLB, ELB, CLOUDFRONT, S3]
COMPONENTS = split("")._fields


def read(data: bytes, format: Format, *, size: int = 1 << 16) -> list[Table]:
    return list(tables(io.BytesIO(data), format, columns=format.fields, size=size, limit=sys.maxsize))


def row(line: bytes, format: Format) -> dict[str, bytes | None]:
    """The values of a line, by column."""
    [table] = read(line + b"\n", format)
    assert table.parsed == 1, line
    return {name: table.column(name)[0] for name in format.fields}


def rejected(line: bytes, format: Format) -> bool:
    [table] = read(line + b"\n", format)
    return table.rejected == [Rejected(1, 0, line)]


# The fields of lines from the vendor's documentation, with other addresses; tests change some of them.
ALB_LINE = [
    *(b"wss 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188").split(),
    *(b"192.0.2.39:2817 198.51.100.1:80 0.086 0.048 0.037 101 200 218 786").split(),
    *(b'"GET https://www.example.com:443/?q#f HTTP/1.1"', b'"curl/7.46.0"'),
    *(b"ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/my/7").split(),
    *(b'"Root=1-58337364-23a8c76965a2ef7629b185e3"', b'"www.example.com"', b'"session-reused"', b"-1"),
    *(b"2018-07-02T22:22:48.364000Z", b'"waf,redirect"', b'"https://example.com:80/"', b'"LambdaUnhandled"'),
    *(b'"198.51.100.1:80 198.51.100.2:80"', b'"200 -"', b'"Ambiguous"', b'"GetHeadZeroContentLength"', b"TID_1"),
    *(b'"a.example.com"', b'"/b"', b'"TransformSuccess"'),
]
ALB_ROW = {
    "type": b"wss",
    "time": b"2018-07-02T22:23:00.186641Z",
    "elb": b"app/my-loadbalancer/50dc6c495c0c9188",
    "client": b"192.0.2.39",
    "client_port": b"2817",
    "upstream": b"198.51.100.1:80",
    "request_duration": b"0.086",
    "upstream_duration": b"0.048",
    "response_duration": b"0.037",
    "status": b"101",
    "upstream_status": b"200",
    "bytes_received": b"218",
    "bytes_sent": b"786",
    "method": b"GET",
    "target_scheme": b"https",
    "target_authority": b"www.example.com:443",
    "target_path": b"/",
    "target_query": b"q",
    "target_fragment": b"f",
    "protocol": b"HTTP/1.1",
    "request": None,
    "agent": b"curl/7.46.0",
    "tls_cipher": b"ECDHE-RSA-AES128-GCM-SHA256",
    "tls_protocol": b"TLSv1.2",
    "upstream_group": b"arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/my/7",
    "id": b"Root=1-58337364-23a8c76965a2ef7629b185e3",
    "tls_host": b"www.example.com",
    "certificate": b"session-reused",
    "rule": b"-1",
    "request_created": b"2018-07-02T22:22:48.364000Z",
    "actions": b"waf,redirect",
    "redirect": b"https://example.com:80/",
    "error": b"LambdaUnhandled",
    "upstreams": b"198.51.100.1:80 198.51.100.2:80",
    "upstream_statuses": b"200 -",
    "classification": b"Ambiguous",
    "classification_reason": b"GetHeadZeroContentLength",
    "connection": b"TID_1",
    "transformed_host": b"a.example.com",
    "transformed_uri": b"/b",
    "transformation": b"TransformSuccess",
    "more": None,
}
ELB_LINE = [
    *(b"2015-05-13T23:39:43.945958Z my-loadbalancer 192.0.2.39:2817 198.51.100.1:80").split(),
    *(b"0.000086 0.001048 0.001337 200 404 0 57").split(),
    *(b'"GET https://www.example.com:443/a?b HTTP/1.1"', b'"curl/7.38.0"', b"DHE-RSA-AES128-SHA", b"TLSv1.2"),
]
ELB_ROW = {
    "time": b"2015-05-13T23:39:43.945958Z",
    "elb": b"my-loadbalancer",
    "client": b"192.0.2.39",
    "client_port": b"2817",
    "upstream": b"198.51.100.1:80",
    "request_duration": b"0.000086",
    "upstream_duration": b"0.001048",
    "response_duration": b"0.001337",
    "status": b"200",
    "upstream_status": b"404",
    "request_bytes": b"0",
    "bytes": b"57",
    "method": b"GET",
    "target_scheme": b"https",
    "target_authority": b"www.example.com:443",
    "target_path": b"/a",
    "target_query": b"b",
    "target_fragment": None,
    "protocol": b"HTTP/1.1",
    "request": None,
    "agent": b"curl/7.38.0",
    "tls_cipher": b"DHE-RSA-AES128-SHA",
    "tls_protocol": b"TLSv1.2",
    "more": None,
}
S3_LINE = [
    *(b"79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be", b"amzn-s3-demo-bucket1"),
    *(b"[06/Feb/2019:00:01:57 +0000]", b"192.0.2.3", b"79a59df900b949e5", b"DD6CC733AEXAMPLE", b"REST.PUT.OBJECT"),
    *(b"s3-dg.pdf", b'"PUT /amzn-s3-demo-bucket1/s3-dg.pdf?a HTTP/1.1"', b"404", b"NoSuchBucketPolicy", b"297"),
    *(b"4406583", b"41754", b"28", b'"http://www.example.com/webservices?q"', b'"S3Console/0.4 x"', b"3HL4kqtJvjVBH40"),
    *(b"10S62Zv81kBW7BB6SX4XJ48o6kpcl6LPwEoizZQQxJd5qDSCTLX0TgS37kYUBKQW3+bPdrg1234=", b"SigV4"),
    *(b"ECDHE-RSA-AES128-SHA", b"AuthHeader", b"bucket.s3.us-west-1.example.com", b"TLSV1.1"),
    *(b"arn:aws:s3:us-west-1:123456789012:accesspoint/example-AP", b"Yes", b"us-east-1"),
]
S3_ROW = {
    "bucket_owner": b"79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be",
    "bucket": b"amzn-s3-demo-bucket1",
    "time": b"06/Feb/2019:00:01:57 +0000",
    "client": b"192.0.2.3",
    "user": b"79a59df900b949e5",
    "id": b"DD6CC733AEXAMPLE",
    "operation": b"REST.PUT.OBJECT",
    "key": b"s3-dg.pdf",
    "method": b"PUT",
    "target_scheme": None,
    "target_authority": None,
    "target_path": b"/amzn-s3-demo-bucket1/s3-dg.pdf",
    "target_query": b"a",
    "target_fragment": None,
    "protocol": b"HTTP/1.1",
    "request": None,
    "status": b"404",
    "error": b"NoSuchBucketPolicy",
    "bytes": b"297",
    "object_size": b"4406583",
    "duration": b"41754",
    "processing_duration": b"28",
    "referer_scheme": b"http",
    "referer_authority": b"www.example.com",
    "referer_path": b"/webservices",
    "referer_query": b"q",
    "referer_fragment": None,
    "agent": b"S3Console/0.4 x",
    "version": b"3HL4kqtJvjVBH40",
    "host_id": b"10S62Zv81kBW7BB6SX4XJ48o6kpcl6LPwEoizZQQxJd5qDSCTLX0TgS37kYUBKQW3+bPdrg1234=",
    "signature_version": b"SigV4",
    "tls_cipher": b"ECDHE-RSA-AES128-SHA",
    "authentication": b"AuthHeader",
    "host": b"bucket.s3.us-west-1.example.com",
    "tls_protocol": b"TLSV1.1",
    "access_point": b"arn:aws:s3:us-west-1:123456789012:accesspoint/example-AP",
    "acl_required": b"Yes",
    "source_region": b"us-east-1",
    "more": None,
}
NLB_LINE = [
    *(b"tls 2.0 2020-04-01T08:51:42 net/my-network-loadbalancer/c6e77e28c25b2234 g3d4b5e8bb8464cd").split(),
    *(b"192.0.2.39:51341 198.51.100.1:443 5 2 29 246 80 arn:aws:acm:us-east-2:1:certificate/2a108f19 1").split(),
    *(b"ECDHE-RSA-AES128-SHA tlsv12 x25519 my.elb.example.com h2 http/1.1").split(),
    *(b'"h2","http/1.1"', b"2020-04-01T08:51:20"),
]
NLB_ROW = {
    "type": b"tls",
    "log_version": b"2.0",
    "time": b"2020-04-01T08:51:42",
    "elb": b"net/my-network-loadbalancer/c6e77e28c25b2234",
    "listener": b"g3d4b5e8bb8464cd",
    "client": b"192.0.2.39",
    "client_port": b"51341",
    "upstream": b"198.51.100.1:443",
    "connection_duration": b"5",
    "tls_handshake_duration": b"2",
    "bytes_received": b"29",
    "bytes_sent": b"246",
    "tls_alert": b"80",
    "certificate": b"arn:aws:acm:us-east-2:1:certificate/2a108f19",
    "certificate_serial": b"1",
    "tls_cipher": b"ECDHE-RSA-AES128-SHA",
    "tls_protocol": b"tlsv12",
    "tls_group": b"x25519",
    "tls_host": b"my.elb.example.com",
    "alpn": b"h2",
    "upstream_alpn": b"http/1.1",
    "client_alpn": b'"h2","http/1.1"',
    "connection_created": b"2020-04-01T08:51:20",
    "more": None,
}
# A format, its line, the values, and the minimum number of fields.
LINES: list[tuple[Format, list[bytes], dict[str, bytes | None], int]] = [
    (ALB, ALB_LINE, ALB_ROW, 16),
    (NLB, NLB_LINE, NLB_ROW, 18),
    (ELB, ELB_LINE, ELB_ROW, 12),
    (S3, S3_LINE, S3_ROW, 17),
]
by_format = pytest.mark.parametrize(("format", "line", "expected", "least"), LINES, ids=["alb", "nlb", "elb", "s3"])
with_request = [known for known in LINES if known[0] is not NLB]


@by_format
def test_each_field_has_its_column(
    format: Format, line: list[bytes], expected: dict[str, bytes | None], least: int
) -> None:
    assert list(expected) == list(format.columns)
    found = row(b" ".join(line), format)
    assert {name: found[name] for name in format.columns} == expected
    assert least < len(line)


@by_format
def test_last_fields_are_optional_and_more_may_follow(
    format: Format, line: list[bytes], expected: dict[str, bytes | None], least: int
) -> None:
    for length in range(1, len(line)):
        shorter = b" ".join(line[:length])
        if length < least:
            assert rejected(shorter, format)
        else:
            found = row(shorter, format)
            is_shortened = [found[name] is None for name in format.columns if expected[name] is not None]
            assert is_shortened == sorted(is_shortened)
            assert sum(is_shortened) == len(line) - length
            assert row(shorter + b" ", format) == found
    longer = row(b" ".join([*line, b"-", b'new  "fields" ']), format)
    assert {name: longer[name] for name in format.columns} == expected | {"more": b'- new  "fields" '}


# The columns that are in every line.
ALWAYS_DEFINED = {"alb": {"time"}, "nlb": {"type", "log_version", "time"}, "elb": {"time"}, "s3": {"time"}}


@by_format
def test_undefined_values_are_none(
    format: Format, line: list[bytes], expected: dict[str, bytes | None], least: int
) -> None:
    always = [expected[name] or b"" for name in ALWAYS_DEFINED[format.name]]
    undefined = [
        field if at < least and field.strip(b"[]") in always else b'"-"' if field.endswith(b'"') and at > 8 else b"-"
        for at, field in enumerate(line)
    ]
    undefined = [b"-" if b"," in line[at] and format is NLB else field for at, field in enumerate(undefined)]
    found = row(b" ".join(undefined), format)
    assert {name for name in format.columns if found[name] is not None} == ALWAYS_DEFINED[format.name]


# A format, the index of a field, its text, and the expected values.
VALUES: list[tuple[Format, int, bytes, dict[str, bytes | None]]] = [
    (ALB, 3, b"2001:db8::1:443", {"client": b"2001:db8::1", "client_port": b"443"}),
    (ALB, 3, b"[2001:db8::1]:443", {"client": b"2001:db8::1", "client_port": b"443"}),
    (ALB, 3, b"192.0.2.7", {"client": b"192.0.2.7", "client_port": None}),
    (ALB, 3, b"-x:1", {"client": b"-x", "client_port": b"1"}),
    (ALB, 3, b"h:1:", {"client": b"h:1:", "client_port": None}),
    (ALB, 5, b"-1", {"request_duration": None}),
    (ALB, 6, b"-1.000", {"upstream_duration": None}),
    (ALB, 7, b"12", {"response_duration": b"12"}),
    (ALB, 13, b'"-x"', {"agent": b"-x"}),
    (ALB, 13, b'""', {"agent": b""}),
    (ALB, 13, rb'"\x22\" \\"', {"agent": rb"\x22\" \\"}),
    (ALB, 18, b'"-x"', {"tls_host": b"-x"}),
    (ALB, 18, b'""', {"tls_host": b""}),
    (ALB, 20, b"0", {"rule": b"0"}),
    (ALB, 20, b"-", {"rule": None}),
    (ALB, 30, b"a.example.com", {"transformed_host": b"a.example.com"}),
    (ALB, 31, b"-", {"transformed_uri": None}),
    (ALB, 31, b'"-x"', {"transformed_uri": b"-x"}),
    (ALB, 25, b"-", {"upstreams": None, "upstream_statuses": b"200 -"}),
    (ALB, 25, b"198.51.100.1:80", {"upstreams": b"198.51.100.1:80", "upstream_statuses": b"200 -"}),
    (ALB, 25, b"198.51.100.1:80 [2001:db8::1]:80", {"upstreams": b"198.51.100.1:80 [2001:db8::1]:80"}),
    (ALB, 25, b"shop", {"upstreams": b"shop", "upstream_statuses": b"200 -"}),
    (ALB, 26, b"200 404", {"upstream_statuses": b"200 404", "classification": b"Ambiguous"}),
    (ALB, 26, b"-", {"upstream_statuses": None, "classification": b"Ambiguous"}),
    (ALB, 18, b"www.example.com", {"tls_host": b"www.example.com", "certificate": b"session-reused"}),
    (ALB, 13, b"-", {"agent": None, "tls_cipher": b"ECDHE-RSA-AES128-GCM-SHA256"}),
    (ALB, 0, b"-", {"type": None}),
    (ALB, 0, b"quic", {"type": b"quic"}),
    (NLB, 5, b"[2001:db8::1]:443", {"client": b"2001:db8::1", "client_port": b"443"}),
    (NLB, 20, b"-", {"client_alpn": None}),
    (S3, 0, b"", {"bucket_owner": None, "bucket": b"amzn-s3-demo-bucket1"}),
    (S3, 0, b"-", {"bucket_owner": None}),
    (S3, 9, b"000", {"status": b"000"}),
    (ALB, 21, b"today", {"rule": b"-1", "request_created": None, "more": b" ".join([b"today", *ALB_LINE[22:]])}),
    (ELB, 3, b"-", {"upstream": None}),
    (ELB, 7, b"-", {"status": None}),
    (S3, 8, b"-", {"method": None, "target": None, "request": None}),
    (S3, 15, b"-", {"referer": None}),
    (S3, 15, b'"-"', {"referer": None}),
    (S3, 15, b'"a b"', {"referer": b"a b", "referer_path": b"a b"}),
    (S3, 16, b"-", {"agent": None}),
    (S3, 17, b"-x", {"version": b"-x"}),
]


@pytest.mark.parametrize(("format", "at", "field", "expected"), VALUES)
def test_values(format: Format, at: int, field: bytes, expected: dict[str, bytes | None]) -> None:
    [line] = [line for known, line, _, _ in LINES if known is format]
    found = row(b" ".join([*line[:at], field, *line[at + 1 :]]), format)
    assert {name: found[name] for name in expected} == expected


# Request lines: method, target, protocol, and the text of a malformed one.
REQUESTS: dict[bytes, tuple[bytes | None, ...]] = {
    b"GET http://h:80/a?b HTTP/1.1": (b"GET", b"http://h:80/a?b", b"HTTP/1.1", None),
    b"GET http://h:80/a b HTTP/1.1": (b"GET", b"http://h:80/a b", b"HTTP/1.1", None),
    rb"GET http://h:80/\x22\" HTTP/2.0": (b"GET", rb"http://h:80/\x22\"", b"HTTP/2.0", None),
    b"CONNECT h:443 HTTP/1.1": (b"CONNECT", b"h:443", b"HTTP/1.1", None),
    b"GET /a": (b"GET", b"/a", None, None),
    b"-x /a HTTP/1.1": (b"-x", b"/a", b"HTTP/1.1", None),
    b"- http://h:80- ": (None, None, None, b"- http://h:80- "),
    b"- http://h:80/ HTTP/1.1": (None, None, None, b"- http://h:80/ HTTP/1.1"),
    b"- - - ": (None, None, None, None),
    b"- - -": (None, None, None, None),
    b"-": (None, None, None, None),
    b"- - - x": (None, None, None, b"- - - x"),
    b"": (None, None, None, b""),
    b"GET": (None, None, None, b"GET"),
}


@pytest.mark.parametrize(("request_line", "expected"), REQUESTS.items())
def test_request_lines(request_line: bytes, expected: tuple[bytes | None, ...]) -> None:
    for format, line, _, _ in with_request:
        at = next(at for at, field in enumerate(line) if b"HTTP" in field)
        found = row(b" ".join([*line[:at], b'"' + request_line + b'"', *line[at + 1 :]]), format)
        assert (found["method"], found["target"], found["protocol"], found["request"]) == expected


# A format, the index of a field, and an invalid text for it.
NO_VALUES = [
    (ALB, 1, b"2018-07-02"),
    (ALB, 1, b"-"),
    (ALB, 3, b""),
    (ALB, 5, b"1ms"),
    (ALB, 5, b"--1"),
    (ALB, 8, b"2000"),
    (ALB, 9, b"20"),
    (ALB, 10, b"-1"),
    (ALB, 12, b"GET"),
    (ALB, 12, b'"GET / "x" HTTP/1.1"'),
    (ALB, 13, b'"x'),
    (ELB, 0, b"today"),
    (ELB, 11, b"-"),
    (S3, 2, b"06/Feb/2019:00:01:57 +0000"),
    (S3, 2, b"[06/Feb/2019:00:01:57]"),
    (S3, 13, b"1s"),
    (S3, 15, b"http://h/"),
]


@pytest.mark.parametrize(("format", "at", "field"), NO_VALUES)
def test_invalid_values_are_rejected(format: Format, at: int, field: bytes) -> None:
    [line] = [line for known, line, _, _ in LINES if known is format]
    assert rejected(b" ".join([*line[:at], field, *line[at + 1 :]]), format)


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.name)
def test_samples_are_parsed_completely(format: Format) -> None:
    [table] = read(format.sample, format)
    assert (table.parsed, table.rejected) == (2, [])
    assert {len(table.values(name)) for name in format.fields} == {2}
    [with_signatures] = read(b"\xef\xbb\xbf" + format.sample.replace(b"\n", b"\r\n\xef\xbb\xbf", 1), format)
    assert with_signatures.columns == table.columns


def test_typed_values() -> None:
    [table] = read(NLB.sample, NLB)
    assert table.values("time") == [847634136_000000, 847634137_000000]
    assert table.values("connection_duration") == [0.005, 1.248]
    assert table.values("connection_created") == [847634131_000000, None]
    [table] = read(S3.sample, S3)
    assert table.values("time") == [847634136_000000, 847634137_000000]
    assert table.values("duration") == [0.041, None]
    [table] = read(ALB.sample, ALB)
    assert table.values("time") == [847634136_186641, 847634137_000000]
    assert table.values("request_created") == [847634136_100000, 847634136_999000]
    assert table.values("request_duration") == [0.086, None]
    [table] = read(CLOUDFRONT.sample, CLOUDFRONT)
    assert table.values("time") == [847634136_000000, 847634137_000000]
    assert table.values("duration") == [0.082, 0.0]
    assert table.values("status") == [200, None]
    assert table.column("status") == [b"200", b"000"]


def test_fields_of_cloudfront() -> None:
    log = (
        b"#Fields: timestamp(ms) cs-uri-stem cs-uri-query x-edge-result-type time-taken cs(Host) x-host-header\n"
        b"847634136000\t/a\tb%20c\tHit\t12\td.example.net\twww.example.com\n"
    )
    [table] = read(log, CLOUDFRONT)
    assert table.values("duration") == [12.0]
    names = ("target", "cache", "distribution", "host", "extra")
    assert [table.column(name) for name in names] == [
        [b"/a?b%20c"],
        [b"Hit"],
        [b"d.example.net"],
        [b"www.example.com"],
        [b'{"timestamp(ms)":"847634136000"}'],
    ]


ENTRIES = CLOUDFRONT.sample.split(b"\n", 2)[2]


def test_cloudfront_without_a_header_has_the_standard_order() -> None:
    [expected] = read(CLOUDFRONT.sample, CLOUDFRONT)
    [table] = read(ENTRIES, CLOUDFRONT)
    assert {name: table.column(name) for name in CLOUDFRONT.fields} == {
        name: expected.column(name) for name in CLOUDFRONT.fields
    }
    [table] = read(b"\n# more\n" + ENTRIES.replace(b"\t", b" "), CLOUDFRONT)
    assert table.columns | {"time": []} == expected.columns | {"time": []}
    assert table.texts("time") == expected.texts("time")


@pytest.mark.parametrize(
    ("count", "last"), [(30, "media_type"), (29, "detailed_result"), (26, "encrypted_fields"), (3, "edge")]
)
def test_older_cloudfront_lines_have_fewer_fields(count: int, last: str) -> None:
    [expected] = read(CLOUDFRONT.sample, CLOUDFRONT)
    older = b"".join(b"\t".join(line.split(b"\t")[:count]) + b"\n" for line in ENTRIES.splitlines())
    [table] = read(older, CLOUDFRONT)
    assert (table.parsed, table.column(last)) == (2, expected.column(last))
    assert sum(column != [None, None] for column in table.columns.values()) <= count + 4


def test_lines_with_another_number_of_fields_are_not_cloudfront() -> None:
    [table] = read(b"1996-11-10 13:55:36\n" + ENTRIES.replace(b"\n", b"\t-\n"), CLOUDFRONT)
    assert (table.parsed, len(table.rejected)) == (0, 3)
    [table] = read(b"nonsense\n" + ENTRIES + ENTRIES[: ENTRIES.index(b"LAX1")] + b"\n", CLOUDFRONT)
    assert (table.parsed, len(table.rejected)) == (2, 2)


def test_other_w3c_logs_are_not_cloudfront() -> None:
    assert [table.parsed for table in read(W3C.sample, CLOUDFRONT)] == [0]
    assert [table.parsed for table in read(CLOUDFRONT.sample, W3C)] == [2]


def test_every_column_has_one_meaning() -> None:
    columns = {name for format in FORMATS for name in format.fields} - {"extra"}
    own = {name for format in FORMATS for name in format.columns if name not in COLUMNS}
    assert own == set(COLUMN_MEANINGS)
    assert not columns & {"text", "directive"}
    for format in FORMATS:
        for name, notation in format.notations.items():
            assert name not in COLUMNS or COLUMNS[name].kind is notation.kind
        assert [
            name for name in format.columns if name in COLUMNS and COLUMNS[name].kind is not format.kind(name)
        ] == []


pieces = st.sampled_from([piece for _, line, _, _ in LINES for piece in line] + [b"-", b'"-"', b"-1", b'"', b"\\"])
some_lines = (
    st.sampled_from([line for format in FORMATS for line in format.sample.splitlines()])
    | st.sampled_from(LINES).flatmap(lambda known: st.integers(0, 40).map(lambda end: b" ".join(known[1][:end])))
    | st.lists(pieces, max_size=30).map(b" ".join)
    | naive.octets
)


@given(data=st.lists(some_lines, max_size=10).map(b"\n".join), size=st.integers(1, 1000))
@example(data=b"\n", size=1)
@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.name)
def test_every_line_is_counted_wherever_blocks_end(format: Format, data: bytes, size: int) -> None:
    def outcome(size: int) -> tuple[Any, ...]:
        found = read(data, format, size=size)
        columns = {name: [value for table in found for value in table.column(name)] for name in format.fields}
        return (
            columns,
            [reject for table in found for reject in table.rejected],
            [skip for table in found for skip in table.skipped],
            sum(table.parsed for table in found),
        )

    columns, rejects, skips, parsed = outcome(size)
    texts = naive.lines(data)
    assert parsed + len(rejects) + len(skips) == len(texts)
    assert {len(column) for column in columns.values()} == {parsed}
    assert [reject.text for reject in rejects] == [texts[reject.line - 1] for reject in rejects]
    assert outcome(1 << 16) == (columns, rejects, skips, parsed)


target = st.text(st.characters(codec="ascii", exclude_characters='"\\\n\r')).map(str.encode)


@given(target)
def test_targets_are_split_like_split(text: bytes) -> None:
    for format, line, _, _ in with_request:
        at = next(at for at, field in enumerate(line) if b"HTTP" in field)
        found = row(b" ".join([*line[:at], b'"GET %b HTTP/1.1"' % text, *line[at + 1 :]]), format)
        assert tuple(found[f"target_{name}"] for name in COMPONENTS) == split_target(text)
        assert found["target"] == text


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"a", b":", b":1 ", b'"', b'" ', b"- ", b'"-" ', b"\\", b"-1 ", b"/", b"x HTTP/1.1"])
@pytest.mark.parametrize(("format", "line", "least"), [(known[0], known[1], known[3]) for known in LINES])
def test_long_lines(format: Format, line: list[bytes], least: int, piece: bytes) -> None:
    places = (0, 3, least - 2, len(line))
    long = piece * (sizes.LONG // len(places) // len(piece))
    data = b"".join(b" ".join([*line[:at], long, *line[at:]]) + b"\n" for at in places)
    data += b" ".join([*line[: least - 1], b'"' + long]) + b"\n"
    assert sum(table.lines for table in read(data, format, size=2 * sizes.LONG)) == 5
