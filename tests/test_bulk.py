"""Splitting lines, and Appendix B embedded in larger expressions."""

import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st

from benchmarks.corpora import hostile
from tests.support import naive, sizes
from urisect import Reference, pattern, split, split_lines
from urisect.logs import COMBINED, LIST
from urisect.reference import split_authority


@given(naive.texts | naive.octets)
@example("")
@example("\n")
@example("\r")
@example("\r\n")
@example("\n\r\n\n")
@example("a\r\r\nb\rc\r")
@example(b"?\r\n#")
@example(b"//h\n\n")
def test_split_lines_equals_split_line_by_line(data: Any) -> None:
    columns = split_lines(data)
    assert list(zip(*columns, strict=True)) == [split(line) for line in naive.lines(data)]
    assert {type(column) for column in columns} == {list}


def test_split_lines_accepts_bytes_like_types_and_names_others() -> None:
    assert split_lines(bytearray(b"a:b\n")) == split_lines(memoryview(b"a:b\n")) == split_lines(b"a:b\n")
    with pytest.raises(TypeError, match=r"^split_lines\(\) takes .* not list$"):
        split_lines(["a"])  # type: ignore[call-overload]


@pytest.mark.parametrize("flags", [0, re.ASCII, re.DOTALL, re.IGNORECASE, re.MULTILINE, re.VERBOSE])
@given(text=naive.texts, stop=st.text(naive.DELIMITERS, max_size=3) | st.text(max_size=2))
def test_a_pattern_splits_the_text_before_a_stop_character(flags: int, text: str, stop: str) -> None:
    assume(not flags & re.IGNORECASE or stop.swapcase() == stop)
    until = min((text.index(character) for character in stop if character in text), default=len(text))
    match = re.compile(pattern(stop=stop), flags).match(text)
    assert match
    assert match[0] == text[:until]
    assert match.groups() == split(text[:until])
    assert tuple(match.groupdict()) == Reference._fields


def test_a_stop_letter_stops_in_either_case_under_ignorecase() -> None:
    match = re.match(pattern(stop="x"), "//h/aXx", re.IGNORECASE)
    assert match
    assert match[0] == "//h/a"


@given(naive.octets, st.text(naive.DELIMITERS.encode("ascii", "ignore").decode()))
def test_an_encoded_pattern_splits_bytes(text: bytes, stop: str) -> None:
    until = min((text.index(character) for character in stop.encode() if character in text), default=len(text))
    match = re.match(pattern(stop=stop).encode(), text)
    assert match
    assert match.groups() == split(text[:until])


@given(naive.texts)
def test_a_pattern_means_the_same_to_the_regex_package(text: str) -> None:
    match = regex.match(pattern(), text)
    assert match
    assert match.groups() == split(text)


def test_two_patterns_in_a_larger_expression() -> None:
    line = re.compile(rf"{pattern('from_', stop=' ')} -> {pattern('to_', stop=';')};(.*)")
    match = line.fullmatch("http://a/b -> //c?d e;f")
    assert match
    assert match.groupdict() == {
        "from_scheme": "http",
        "from_authority": "a",
        "from_path": "/b",
        "from_query": None,
        "from_fragment": None,
        "to_scheme": None,
        "to_authority": "c",
        "to_path": "",
        "to_query": "d e",
        "to_fragment": None,
    }
    assert match[match.lastindex or 0] == "f"


@pytest.mark.parametrize("prefix", ["1", "a-", "é", "a b", ")"])
def test_a_prefix_must_make_a_group_name(prefix: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"prefix {prefix!r} makes no group name")):
        pattern(prefix)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stop": b" "}, r"^pattern\(\) takes str for stop, not bytes$"),
        ({"stop": None}, r"^pattern\(\) takes str for stop, not NoneType$"),
        ({"prefix": b"a"}, r"^pattern\(\) takes str for prefix, not bytes$"),
    ],
)
def test_prefix_and_stop_must_be_str(arguments: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        pattern(**arguments)


LINEAR: dict[str, Callable[[bytes], object]] = {
    "split": split,
    "split a str": lambda text: split(text.decode()),
    "split_lines": split_lines,
    "pattern": re.compile(pattern(stop='" ').encode()).match,
    "split_authority": split_authority,
    "a list": LIST.expression.match,
    "a log line": COMBINED.expression.match,
    "a request target": lambda text: COMBINED.expression.match(b'h - - [t] "GET ' + text),
    "a referer": lambda text: COMBINED.expression.match(b'h - - [t] "GET / HTTP/1.1" 200 1 "' + text),
}


# Units that may be hard for the expression of a log line, besides those that are hard for a reference.
IN_QUOTES = ["\\", r"\"", r"a\\", " ", "a ", " HTTP/1", " HTTP/", '" ', "\r"]


@pytest.fixture(scope="module")
def hostile_lines() -> dict[str, bytes]:
    """Hostile lines by their beginning: some hundred megabytes, so they are freed after this module."""
    return hostile(sizes.LONG) | {text: text.encode() * (sizes.LONG // len(text)) for text in IN_QUOTES}


@pytest.mark.slow
@pytest.mark.parametrize("beginning", [*hostile(1), *IN_QUOTES], ids=repr)
@pytest.mark.parametrize("use", LINEAR.values(), ids=LINEAR)
def test_hostile_text_takes_a_few_times_its_memory(
    use: Callable[[bytes], object], beginning: str, hostile_lines: dict[str, bytes]
) -> None:
    """Quadratic time would not end here: it would take 10**12 steps, or 10**14."""
    text = hostile_lines[beginning]
    tracemalloc.start()
    try:
        use(text)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text)
    finally:
        tracemalloc.stop()
