"""The logs of CloudFront and AWS WAF that are JSON lines."""

import io
import json

import pytest

from tests.support.entries import row
from urisect.logs import CLOUDFRONT, tables
from urisect.logs.formats.aws_json import AWS_WAF, CLOUDFRONT_JSON

CLOUDFRONT_LINE, SHORT_LINE = CLOUDFRONT_JSON.sample.splitlines()
WAF_LINE, BLOCKED_LINE = AWS_WAF.sample.splitlines()


def test_cloudfront_in_json_has_the_values_of_the_standard_log() -> None:
    [table] = tables(io.BytesIO(CLOUDFRONT.sample), CLOUDFRONT)
    found = row(CLOUDFRONT_JSON, CLOUDFRONT_LINE)
    assert found is not None
    for name, value in found.items():
        assert table.values(name)[0] == value, name
    missing = {name for name in CLOUDFRONT.columns if table.values(name)[0] is not None} - found.keys()
    assert missing == {"detailed_result", "content_length"}


def test_selected_fields_of_cloudfront() -> None:
    assert row(CLOUDFRONT_JSON, SHORT_LINE) == {
        "time": 847634137250000,
        "edge": b"LAX1",
        "client": b"2001:db8::7",
        "method": b"GET",
        "target_path": b"/",
        "agent": b"Lynx/2.6",
        "cache": b"Error",
        "id": b"k6WGMNkEzR5BEM_SaF47gjtX9zBDO2m349OY2an0QPEaUum1ZOLrow==",
        "duration": 0.0,
        "country": b"US",
    }


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({"date": "1996-11-10", "time": "13:55:36"}, 847634136000000),
        ({"timestamp(ms)": "847634136123"}, 847634136123000),
        ({"timestamp": "847634136.123"}, 847634136123000),
        ({"timestamp": 847634136}, 847634136000000),
        ({"date": "1996-11-10", "time": "13:55:36", "timestamp(ms)": "847634136123"}, 847634136000000),
        ({"date": "1996-11-10", "time": "-", "timestamp(ms)": "847634136123"}, 847634136123000),
        ({"date": "-", "time": "-"}, None),
    ],
)
def test_times_of_cloudfront(times: dict[str, object], expected: int | None) -> None:
    found = row(CLOUDFRONT_JSON, json.dumps({"cs-uri-stem": "/", "x-edge-location": "LAX1"} | times))
    assert found is not None
    assert found.get("time") == expected


@pytest.mark.parametrize("line", ['{"cs-uri-stem":"/"}', '{"x-edge-location":"LAX1"}'])
def test_other_lines_are_no_lines_of_cloudfront(line: str) -> None:
    assert row(CLOUDFRONT_JSON, line) is None


def test_waf() -> None:
    acl = b"arn:aws:wafv2:us-east-1:123456789012:regional/webacl/example/1c2d3e4f-0000-4000-8000-000000000007"
    assert row(AWS_WAF, WAF_LINE) == {
        "time": 847634136123000,
        "id": b"1-32874058-0123456789abcdef01234567",
        "action": b"ALLOW",
        "client": b"192.0.2.7",
        "country": b"US",
        "method": b"GET",
        "scheme": b"https",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "protocol": b"HTTP/2.0",
        "host": b"example.com",
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Lynx/2.6",
        "web_acl": acl,
        "matched_rule": b"Default_Action",
        "matched_rule_type": b"REGULAR",
        "source": b"ALB",
        "source_id": b"123456789012-app/example/50dc6c495c0c9188",
    }
    assert row(AWS_WAF, BLOCKED_LINE) == {
        "time": 847634137000000,
        "id": b"1-32874059-0123456789abcdef01234567",
        "action": b"BLOCK",
        "status": 429,
        "client": b"2001:db8::7",
        "method": b"POST",
        "target_path": b"/wp-login.php",
        "protocol": b"HTTP/1.1",
        "host": b"example.com",
        "web_acl": acl,
        "matched_rule": b"block-scanners",
        "matched_rule_type": b"RATE_BASED",
        "source": b"ALB",
        "source_id": b"123456789012-app/example/50dc6c495c0c9188",
    }


def test_other_headers_of_waf_are_extra() -> None:
    [table] = tables(io.BytesIO(WAF_LINE), AWS_WAF, columns=["target", "extra"])
    [extra] = table.column("extra")
    assert extra is not None
    assert json.loads(extra)["httpRequest"] == {"headers": [{"name": "Accept", "value": "*/*"}]}
    assert table.column("target") == [b"/a/b?c=d"]


@pytest.mark.parametrize(
    "line",
    [
        '{"action":"ALLOW","httpRequest":{"uri":"/"}}',
        '{"webaclId":"x","httpRequest":{"uri":"/"}}',
        '{"webaclId":"x","action":"ALLOW","httpRequest":{}}',
        '{"webaclId":"x","action":"ALLOW","timestamp":"1996-11-10","httpRequest":{"uri":"/"}}',
    ],
)
def test_other_lines_are_no_lines_of_waf(line: str) -> None:
    assert row(AWS_WAF, line) is None
