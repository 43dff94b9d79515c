"""`urisect explain`: everything about a reference, drawn or as JSON."""

import json
import re
from pathlib import Path

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.command import on_a_terminal, run_here
from urisect import crawl, hazards, iri, normalize, query, split, strict
from urisect.cli.explain import draw_explanation
from urisect.explanation import explain
from urisect.specs import SPECIFICATIONS

DRAWN = r"""reference    HTTP://u@EXAMPLE.com:/a/./b?q=%41&%zz&r#é
scheme       HTTP
authority           u@EXAMPLE.com:
  userinfo          u
  host                EXAMPLE.com
  port                            (empty)
path                              /a/./b
query                                    q=%41&%zz&r
fragment                                             é
kind         URI; its host is a reg-name
parameters   q = A
             %zz
             r

Specifications
  rfc3986    invalid: query, fragment
             query: "z" instead of a hexadecimal digit (RFC 3986, 2.1,
             pct-encoded)
             HTTP://u@EXAMPLE.com:/a/./b?q=%41&%zz&r#é
                                                ^
             fragment: "é" U+00E9 (latin small letter e with acute) instead of a
             letter, a digit or one of !$%&'()*+,-./:;=?@_~ (RFC 3986, 3.5,
             fragment)
             HTTP://u@EXAMPLE.com:/a/./b?q=%41&%zz&r#é
                                                     ^
  rfc3987    invalid: query
  rfc2396bis invalid: query, fragment
  rfc2396    invalid: query, fragment
  url1996    invalid: query, fragment

Normal forms
  syntax     http://u@example.com:/a/b?q=A&%zz&r#é
  scheme     http://u@example.com/a/b?q=A&%zz&r#é
  iri        as it is
  uri        HTTP://u@EXAMPLE.com:/a/./b?q=%41&%zz&r#%C3%A9

Keys
  syntax-1   as syntax
  request-1  http://u@example.com/a/b?q=A&%zz&r
  page-1     http://u@example.com/a/b?%zz&q=A&r
  loose-1    https://u@example.com/a/b?%zz&q=A&r
  surt       com,example)/a/b?%25zz&q=a&r

Hazards
"""


def test_an_explanation_is_drawn_below_the_reference() -> None:
    drawn = click.unstyle(draw_explanation(explain("HTTP://u@EXAMPLE.com:/a/./b?q=%41&%zz&r#é"), 80))
    assert drawn.startswith(DRAWN)
    assert "userinfo: The host is 'EXAMPLE.com'" in drawn


def test_a_usual_reference_has_nothing_below_it() -> None:
    drawn = click.unstyle(draw_explanation(explain("https://example.com/"), 80))
    assert drawn.count("valid") == len(SPECIFICATIONS)
    assert "as it is" in drawn
    assert drawn.endswith("Hazards\n             none\n")
    assert "^" not in drawn


@settings(max_examples=sizes.choose(full=1_000, quick=60))
@given(st.text() | naive.texts)
def test_any_text_is_explained_as_each_function_explains_it(text: str) -> None:
    found = explain(text)
    reference = split(text)
    parts = {name: text[start:end] for name, (start, end) in found.parts.items()}
    names = (*reference._fields, "userinfo", "host", "port")
    assert parts == {name: getattr(reference, name) for name in names if getattr(reference, name) is not None}
    starts = [start for start, _ in found.parts.values()]
    assert starts == sorted(starts)
    assert found.kind == reference.kind
    assert found.parameters == tuple(query.parse(reference.query))
    assert found.violations == {name: spec.violations(text) for name, spec in SPECIFICATIONS.items()}
    assert found.forms == {level: normalize(text, level=level) for level in ("syntax", "scheme")}
    assert (found.iri, found.uri) == (iri.to_iri(text), iri.to_uri(text))
    assert found.keys == {name: crawl.key(text, name) for name in crawl.PROFILES} | {"surt": crawl.surt(text)}
    assert found.hazards == hazards(text)


@settings(max_examples=sizes.choose(full=1_000, quick=60))
@given(naive.octets, st.sampled_from([1, 30, 80, 500]))
def test_any_line_is_drawn(line: bytes, width: int) -> None:
    drawn = draw(line.decode("utf-8", "surrogateescape"), width)
    assert drawn.encode().startswith(b"reference  ")
    assert "\nHazards\n" in drawn


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("192.0.2.7", "an IPv4address"),
        ("[2001:db8::7]", "an IP-literal"),
        ("192.0.2.256", "a reg-name"),
        ("[2001:db8:", "a reg-name"),
    ],
)
def test_the_kind_of_a_host_is_the_first_rule_that_it_matches(host: str, kind: str) -> None:
    assert f"kind         URI; its host is {kind}\n" in draw(f"http://{host}/")


def draw(reference: str, width: int = 80) -> str:
    return click.unstyle(draw_explanation(explain(reference), width))


def test_parts_are_not_indented_without_space() -> None:
    drawn = draw("http://example.com/" + "a" * 61 + "?%zz", 80).splitlines()
    assert drawn[2:5] == ["authority    example.com", "  host       example.com", "path         /" + "a" * 61]
    caret = next(number for number, line in enumerate(drawn) if "^" in line)
    assert drawn[caret - 1].strip().startswith("…")
    assert drawn[caret - 1][drawn[caret].index("^")] == "z"


def test_only_the_first_kinds_of_violations_are_drawn() -> None:
    drawn, _, _ = draw('/a b"c<d>e^f`g{h i').partition("\nNormal forms\n")
    assert drawn.count("^\n") == 5
    assert "(2 times)" in drawn
    assert "             and 2 more\n" in drawn


def test_many_parameters_are_counted() -> None:
    drawn = draw("?" + "&".join(f"a{number}=1" for number in range(100)))
    assert drawn.count(" = 1\n") == 20
    assert "             and 80 more\n" in drawn


def test_each_line_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://a/\n\n/\xff\r\n")
    status, output, messages = run_here("explain", str(path))
    assert (status, messages) == (0, "")
    assert output.decode().count("\n\nreference    ") == 2
    assert output.startswith(b"reference    http://a/\nscheme       http\n")
    assert b"reference    /\\xff\n" in output
    assert b"\x1b" not in output
    skipping = run_here("explain", "--limit", "3", str(path), "--to", "ndjson")
    assert (skipping[1].count(b"\n"), skipping[2]) == (2, "3 lines read: 1 skipped\n")
    rows = [json.loads(line) for line in run_here("explain", "--to", "ndjson", str(path))[1].splitlines()]
    assert [(row["file"], row["line"], row["offset"]) for row in rows] == [
        (str(path), 1, 0),
        (str(path), 2, 10),
        (str(path), 3, 11),
    ]
    assert rows[2]["reference"] == "/\udcff"
    assert rows[2]["violations"]["rfc3986"][0]["message"] == strict.violations("/\udcff")[0].message
    assert rows[0]["parts"] == {"scheme": [0, 4], "authority": [7, 8], "host": [7, 8], "path": [8, 9]}


def test_nothing_acts_on_a_terminal_but_styles() -> None:
    text = "http://u\x1b]0;a\u202e@b/%zz"
    sent = on_a_terminal("explain", text).decode()
    assert "\x1b[31m\x1b[1mz" in sent
    assert not re.search("\x1b(?!\\[[0-9;]*m)|\u202e", sent)
    assert "\x1b" not in on_a_terminal("explain", text, variables={"NO_COLOR": "1"}).decode()


@pytest.mark.slow
@pytest.mark.parametrize("piece", [" ", "a ", "%", "é", "[", "@:", "&a", "/../", "?"])
def test_a_hostile_line_is_explained_in_time(piece: str) -> None:
    text = "http://" + piece * (sizes.LONG // 10 // len(piece))
    assert len(draw(text)) < 20 * len(text) + 10_000
