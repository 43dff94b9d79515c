"""Detection of a format from the first lines of a log."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive
from urisect.logs.formats import COMBINED, COMMON, FORMATS, LIST, Format
from urisect.logs.formats.caddy import CADDY
from urisect.logs.formats.cdxj import CDXJ
from urisect.logs.formats.envelopes import ENVELOPES, find_envelope
from urisect.logs.formats.format import Parser, PatternFormat
from urisect.logs.formats.json_lines import json_lines
from urisect.logs.formats.squid import SQUID
from urisect.logs.formats.w3c import W3C
from urisect.logs.input.detection import Detection, UnknownFormatError, detect, rank_formats

SOME_FORMATS: dict[str, Format] = {format.name: format for format in (COMBINED, COMMON, W3C, SQUID, CADDY, CDXJ, LIST)}
ALL = {**SOME_FORMATS, **FORMATS}

COMBINED_LINE = COMBINED.sample.splitlines(keepends=True)[0]
COMMON_LINE = COMMON.sample.splitlines(keepends=True)[0]


def found(head: bytes) -> Detection:
    return detect(head, SOME_FORMATS.values())


@pytest.mark.parametrize("format", ALL.values(), ids=ALL)
@pytest.mark.parametrize("formats", [SOME_FORMATS, FORMATS], ids=["some", "all"])
def test_samples_are_detected(format: Format, formats: dict[str, Format]) -> None:
    if format in formats.values():
        detection = detect(format.sample, formats.values())
        assert detection.format is format
        assert detection.tried == detection.parsed > 0


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (COMBINED_LINE, Detection(COMBINED, 1, 1)),
        (COMBINED_LINE.rstrip(), Detection(COMBINED, 1, 1)),
        (COMBINED_LINE + COMBINED_LINE[:-9], Detection(COMBINED, 1, 1)),
        (b"\n\r\n \n" + COMBINED_LINE, Detection(COMBINED, 1, 1)),
        (b"\xef\xbb\xbf" + COMBINED_LINE, Detection(COMBINED, 1, 1)),
        (b"\xef\xbb\xbf\n" + COMBINED_LINE, Detection(COMBINED, 1, 1)),
        (COMBINED_LINE.replace(b"\n", b"\r\n"), Detection(COMBINED, 1, 1)),
        (COMBINED_LINE * 200, Detection(COMBINED, 100, 100)),
        (COMBINED_LINE * 3 + COMMON_LINE * 2, Detection(COMBINED, 5, 3)),
        (COMBINED_LINE * 2 + COMMON_LINE * 3, Detection(COMMON, 5, 3)),
        (COMMON_LINE * 2 + COMBINED_LINE * 2, Detection(COMBINED, 4, 2)),
        (COMBINED_LINE + b"nonsense\n", Detection(COMBINED, 2, 1)),
        (b"nonsense\n" * 50 + COMBINED_LINE * 500, Detection(COMBINED, 100, 50)),
        (b"http://example.com/a b\n/c\nhttp://example.com\n", Detection(LIST, 3, 2)),
        (b"mailto:a@example.com\r\n/\r\n", Detection(LIST, 2, 2)),
        (b"\xef\xbb\xbfhttp://example.com/\xff\n", Detection(LIST, 1, 1)),
        (b"!OpenWayback-CDXJ 1.0\n", Detection(CDXJ, 0, 0)),
        (b"#Version: 1.0\n#Fields: date time cs-uri-stem\n", Detection(W3C, 0, 0)),
        (W3C.sample + b"nonsense\n", Detection(W3C, 3, 2)),
    ],
)
def test_first_lines(head: bytes, expected: Detection) -> None:
    assert found(head) == expected


def test_the_first_of_equally_good_formats_is_taken() -> None:
    again = json_lines("url")
    assert detect(b'{"url": "/"}\n', [again, json_lines("uri")]).format is again


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ({"url": "http://example.com/"}, "target=url"),
        ({"uri": "/a", "path": "/b"}, "target=uri"),
        ({"path": "/b", "time": "noon"}, "target=path"),
        ({"url": "/a", "status": "OK", "code": 200}, "target=url"),
        ({"url": "/a", "status": "", "referer": ""}, "target=url,status=status,referer=referer"),
        ({"url": {"original": "/a"}, "agent": {"type": "x"}}, "target=url.original"),
        ({"url.original": "/a", "http": {"method": "GET"}}, "target=url.original,method=http.method"),
        (
            {"time_local": "10/Nov/1996:12:00:00 +0000", "request_uri": "/", "remote_addr": "::1", "status": "200"},
            "target=request_uri,time=time_local,status=status,client=remote_addr",
        ),
        (
            {"request": {"uri": "/", "headers": {"User-Agent": ["x"], "Referer": ["/"]}}, "ts": 847627200.5},
            "target=request.uri,time=ts,agent=request.headers.User-Agent,referer=request.headers.Referer",
        ),
        (
            {"httpRequest": {"requestUrl": "http://example.com/", "status": 404}, "timestamp": "1996-11-10T12:00:00Z"},
            "target=httpRequest.requestUrl,time=timestamp,status=httpRequest.status",
        ),
        (
            {"urlkey": "com,example)/", "timestamp": "19961110120000", "url": "http://example.com/", "status": "301"},
            "target=url,time=timestamp,status=status",
        ),
        (
            {"req": {"method": "GET", "url": "/"}, "res": {"statusCode": 200}, "time": 847627200123},
            "target=req.url,time=time,status=res.statusCode,method=req.method",
        ),
    ],
)  # fmt: skip
def test_well_known_members(entry: dict[str, object], name: str) -> None:
    head = json.dumps(entry).encode() + b"\n"
    detection = found(head)
    assert detection._replace(format=LIST) == Detection(LIST, 1, 1)
    assert detection.format.name == f"json:{name}"
    assert detection.format.columns == json_lines(name).columns


def test_a_member_must_fit_in_every_line() -> None:
    entries = [{"url": "/", "status": 200, "time": 1}, {"url": "/", "status": "OK", "time": None}, {"url": "*"}, {}]
    head = "".join(json.dumps(entry) + "\n" for entry in entries).encode()
    assert found(head).format.name == "json:target=url,time=time"
    assert found(head).parsed == 4


@pytest.mark.parametrize(
    "head",
    [
        b"nonsense\n",
        b"nonsense",
        COMBINED_LINE + b"nonsense\n" * 2,
        b"Mon Nov 10 12:00:00 kernel: no log of URIs\n",
        b"12:00:00 /a\n",
        b"c:\\log file\n",
        b'{"message": "started"}\n',
        b'{"url": "example.com"}\n',
        b'{"url": 1}\n',
        b"{}\n",
        b'[{"url": "/"}]\n',
        b'{"url": "/"}\n{}\n{}\n',
        b"date,url\n1996-11-10,http://example.com/\n",
        b"x" * 100_000,
    ],
)
def test_unknown_formats(head: bytes) -> None:
    with pytest.raises(UnknownFormatError, match="no format matches half of the first lines") as caught:
        found(head)
    assert "Apache's LogFormat, such as '%h %l %u %t" in str(caught.value)
    assert len(str(caught.value)) < 2 * 2000 + 600
    assert len(caught.value.reason) < 4 * 60 + 60


def test_the_message_shows_the_first_line() -> None:
    with pytest.raises(UnknownFormatError, match="The first line is:\n  nonsense\nName the format") as caught:
        found(b"\n\nnonsense\nmore")
    assert caught.value.reason == "no format matches its first lines: nonsense"


@pytest.mark.parametrize(
    ("line", "nearest", "matched"),
    [
        (COMBINED_LINE[:-1] + b" 7", "combined", COMBINED_LINE[:-1]),
        (COMMON_LINE.replace(b"-0700", b"MST"), "combined", COMMON_LINE.partition(b"-0700")[0]),
        (b"Nov 10 " + COMMON_LINE, "combined", b"Nov 10 192.0.2.7 "),
    ],
)
def test_the_message_shows_where_the_nearest_format_stops_matching(line: bytes, nearest: str, matched: bytes) -> None:
    with pytest.raises(UnknownFormatError) as caught:
        found(line)
    _, shown, explanation, part, mark, _ = str(caught.value).split("\n")
    assert shown == f"  {line.decode().rstrip()}"
    assert explanation == f"The nearest format is {nearest}; it stops matching at the mark:"
    before = matched.decode()[-(mark.index("^") - len("  …")) :]
    assert part[: mark.index("^")].endswith(before)


@pytest.mark.parametrize("head", [b"\0" * 512, bytes(range(256)), b"nonsense\0\n", b"\x1f\x8b\x08\x00"])
def test_a_file_that_is_not_text(head: bytes) -> None:
    with pytest.raises(UnknownFormatError, match="the file is not text: it contains NUL bytes"):
        found(head)


@pytest.mark.parametrize("head", [b"", b"\n", b"\r\n \t\n", b"\xef\xbb\xbf"])
def test_a_log_without_lines(head: bytes) -> None:
    with pytest.raises(UnknownFormatError, match="there is no line"):
        found(head)


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-16BE"])
@pytest.mark.parametrize("text", ["ab", "#Software: é\r\n", COMBINED.sample.decode()])
def test_utf_16(encoding: str, text: str) -> None:
    with pytest.raises(
        UnknownFormatError, match=f"the text is in {encoding}; convert it with iconv -f {encoding} -t UTF-8"
    ):
        found(text.encode(encoding))


def test_utf_16_with_a_byte_order_mark() -> None:
    for signature in (b"\xff\xfe", b"\xfe\xff"):
        with pytest.raises(UnknownFormatError, match="iconv -f UTF-16 -t"):
            found(signature + b"h\0")


# Envelopes


def in_envelope(name: str, *lines: bytes) -> bytes:
    return b"".join(map(find_envelope(name).wrap, lines))


@pytest.mark.parametrize("name", ENVELOPES)
def test_a_named_envelope_is_the_only_one_that_is_tried(name: str) -> None:
    data = in_envelope(name, COMBINED_LINE.rstrip())
    for formats in (SOME_FORMATS.values(), FORMATS.values()):
        detection = detect(data, formats, find_envelope(name))
        assert (detection.format.name, detection.tried, detection.parsed) == (f"{name}+combined", 1, 1)
    other = "cri" if name == "kubectl" else "kubectl"
    with pytest.raises(UnknownFormatError, match=f"no line is in the envelope {other}"):
        detect(data, FORMATS.values(), find_envelope(other))
    with pytest.raises(UnknownFormatError, match="no line is in the envelope"):
        detect(COMBINED_LINE, FORMATS.values(), find_envelope(name))


@pytest.mark.parametrize(
    ("head", "name", "tried", "parsed"),
    [
        (json.dumps({"event": {"original": COMBINED_LINE.decode()}}).encode(), "json:event.original+combined", 1, 1),
        (json.dumps({"event.original": COMBINED_LINE.decode()}).encode(), "json:event.original+combined", 1, 1),
        (json.dumps({"textPayload": COMBINED_LINE.decode()}).encode(), "json:textPayload+combined", 1, 1),
        (json.dumps({"log": COMBINED_LINE.decode(), "stream": "stdout"}).encode(), "docker+combined", 1, 1),
        (json.dumps({"log": COMBINED_LINE.decode().rstrip(), "stream": "stdout"}).encode(), "json:log+combined", 1, 1),
        (json.dumps({"log": COMBINED_LINE.decode().rstrip(), "date": 1.5}).encode(), "fluent-bit+combined", 1, 1),
        (json.dumps({"message": COMBINED_LINE.decode().rstrip()}).encode(), "filebeat+combined", 1, 1),
        (json.dumps({"message": '{"url":"/a","status":200}'}).encode(), "filebeat+json:target=url,status=status", 1, 1),
        (in_envelope("cri", COMBINED_LINE.rstrip(), b"started", b"ready"), "cri+combined", 3, 1),
        (in_envelope("cri", COMBINED_LINE.rstrip(), b"started") + b"else\n", "cri+combined", 3, 1),
        (in_envelope("cri", COMBINED_LINE.rstrip()) + COMBINED_LINE * 2, "combined", 3, 2),
        (in_envelope("cri", *[COMBINED_LINE.rstrip()] * 2) + COMBINED_LINE, "cri+combined", 3, 2),
        (in_envelope("cri", b"#Fields: time cs-uri"), "cri+w3c", 0, 0),
    ],
)
def test_lines_in_envelopes(head: bytes, name: str, tried: int, parsed: int) -> None:
    if parsed * 2 < tried:
        with pytest.raises(UnknownFormatError):
            detect(head, FORMATS.values())
        return
    detection = detect(head, FORMATS.values())
    assert (detection.format.name, detection.tried, detection.parsed) == (name, tried, parsed)


def test_parts_of_lines_do_not_count() -> None:
    part, rest = COMBINED_LINE[:30], COMBINED_LINE[30:].rstrip()
    head = in_envelope("cri", part).replace(b" F ", b" P ") + in_envelope("cri", rest, COMBINED_LINE.rstrip())
    assert detect(head, FORMATS.values())[1:] == (2, 2)


def test_formats_are_ranked_by_the_lines_that_they_match() -> None:
    head = COMBINED_LINE * 3 + COMMON_LINE * 2 + in_envelope("cri", *[COMBINED_LINE.rstrip()] * 20)
    ranked = rank_formats(head, SOME_FORMATS.values())
    assert [(each.format.name, each.parsed) for each in ranked] == [("cri+combined", 20), ("combined", 3)]
    assert rank_formats(b"nonsense\n", FORMATS.values()) == []
    assert rank_formats(b"", FORMATS.values()) == []
    assert rank_formats(b"#Fields: time\n", FORMATS.values()) == []


@pytest.mark.parametrize(("odd", "name"), [(0, "main"), (9, "main"), (11, "combined-more")])
def test_a_specific_format_that_matches_nearly_as_many_lines_is_preferred(odd: int, name: str) -> None:
    line = FORMATS["main"].sample.splitlines(keepends=True)[0]
    head = line.replace(b'"\n', b'" 7\n') * odd + line * (100 - odd)
    assert detect(head, FORMATS.values()).format.name == name


def test_signatures_are_found_in_samples() -> None:
    for format in (*FORMATS.values(), *(envelope.format for envelope in ENVELOPES.values())):
        sample = format.sample or ENVELOPES[format.name].sample
        assert any(re.search(format.signature.encode(), line) for line in sample.splitlines())


def test_a_format_without_its_signature_is_not_tried() -> None:
    tried: list[str] = []

    class Watched(PatternFormat):
        def parser(self, columns: frozenset[str]) -> Parser:
            tried.append(self.name)
            return super().parser(columns)

    formats = [Watched("never", "a", signature="b"), Watched("always", "a")]
    assert detect(b"a\n", formats).format.name == "always"
    assert tried == ["always"]


lines = st.sampled_from(
    [line for format in SOME_FORMATS.values() for line in format.sample.splitlines()]
) | st.sampled_from(
    [b'{"url": "/"}', b'{"url": 1, "status": []}', b"nonsense", b"", b"#Fields: url", b"!", b"\xef\xbb\xbf"]
)


@given(st.lists(lines | naive.octets).map(b"\n".join))
@example(b"\xff")
@example(b"\0")
def test_any_text_is_detected_or_refused(head: bytes) -> None:
    try:
        format, tried, parsed = found(head)
    except UnknownFormatError:
        return
    assert format in SOME_FORMATS.values() or format.name.startswith("json:target=")
    assert 0 <= parsed <= tried <= 100
    assert parsed * 2 >= tried


@given(
    st.sampled_from([*SOME_FORMATS.values()]),
    st.lists(naive.octets.map(lambda line: line.replace(b"\n", b"")), max_size=2),
)
def test_a_few_invalid_lines_do_not_matter(format: Format, garbage: list[bytes]) -> None:
    sample = format.sample * 4
    assert found(b"".join((*(line + b"\n" for line in garbage), sample, *garbage))).format is format
