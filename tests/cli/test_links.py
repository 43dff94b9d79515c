"""The command that lists the links of pages."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from tests.support.command import run_here
from urisect.cli import main

PAGE = (
    b'<base href="/x/"><a rel="Next nofollow" href="a b"> A\n <b>b</b></a> <img srcset="e.png, f.png 2x">'
    b'<a href="mailto:fred@example.com">'
)
TARGETS = "http://h/x/a b\nhttp://h/x/e.png\nhttp://h/x/f.png\nmailto:fred@example.com\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page 1.html"
    path.write_bytes(PAGE)
    return path


def test_links_are_resolved_in_the_order_of_the_page(page: Path, tmp_path: Path) -> None:
    assert run_here("links", "--base", "http://h/", str(page)) == (0, TARGETS.encode(), "1 page read: 4 links found\n")
    (tmp_path / "packed").write_bytes(gzip.compress(PAGE))
    assert run_here("links", "--base", "http://h/", "-", f"{tmp_path}/packed", stdin=PAGE)[1] == TARGETS.encode() * 2
    assert run_here("links", "--base", "http://h/", stdin=b"") == (0, b"", "1 page read: 0 links found\n")


def test_the_base_of_a_file_is_its_own_uri(page: Path) -> None:
    page.write_bytes(b"<a href=b>")
    assert run_here("links", str(page)) == (0, f"{page.parent.as_uri()}/b\n".encode(), "1 page read: 1 link found\n")


def test_an_object_per_link(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["links", "--base", "http://h/", "--to", "ndjson", str(page)]) == 0
    found = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [link["uri"] for link in found] == TARGETS.splitlines()
    assert found[0] == {
        "file": str(page),
        "uri": "http://h/x/a b",
        "element": "a",
        "attribute": "href",
        "reference": "a b",
        "rel": ["next", "nofollow"],
        "text": "A b",
        "nofollow": True,
    }
    assert (found[1]["attribute"], found[1]["rel"], found[1]["text"], found[1]["nofollow"]) == ("srcset", [], "", False)


def test_a_lone_surrogate_of_a_page_is_written(capfdbinary: pytest.CaptureFixture[bytes], page: Path) -> None:
    page.write_bytes("<meta charset=utf-16le><a href=\ud800>".encode("utf-16", "surrogatepass"))
    for to in ("text", "ndjson"):
        assert main(["links", "--base", "http://h/", "--to", to, str(page)]) == 0
        assert b"http://h/" in capfdbinary.readouterr().out


def test_a_missing_file_and_a_page_over_the_limit(page: Path) -> None:
    missing = str(page.parent / "missing")
    message = f"urisect: {page}: skipped: larger than {len(PAGE) - 1} bytes; see --limit\n"
    message += "1 page read: 0 links found, 1 skipped\n"
    assert run_here("links", "--limit", str(len(PAGE) - 1), str(page)) == (1, b"", message)
    status, out, messages = run_here("links", "--base", "http://h/", "--limit", str(len(PAGE)), missing, str(page))
    assert (status, out) == (2, TARGETS.encode())
    assert messages == f"urisect: {missing}: No such file or directory\n1 page read: 4 links found\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Standard input has no URI: name that of the page with --base."),
        (["-"], "Standard input has no URI: name that of the page with --base."),
        (["--base", "/a"], "'/a' has no scheme; a base URI begins with one, such as http:."),
        (
            ["http://h.invalid/?a&b"],
            "pipe the page: curl -s 'http://h.invalid/?a&b' | urisect links --base 'http://h.invalid/?a&b'",
        ),
    ],
)
def test_what_is_missing_is_a_usage_error(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["links", *arguments]) == 2
    assert message in capfd.readouterr().err


def test_the_missing_extra_is_named(
    page: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "turbohtml", None)
    assert main(["links", str(page)]) == 2
    assert capfd.readouterr().err == (
        "urisect: links needs turbohtml, which is not installed; pip install 'urisect[html]' brings it\n"
    )
