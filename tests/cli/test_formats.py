"""`urisect formats --try`: what it draws, on a terminal and elsewhere, and its exit statuses."""

import re
from pathlib import Path

import pytest

from tests.support.command import on_a_terminal, run_here
from urisect.cli import main
from urisect.cli.format_previews import draw_previews
from urisect.logs import COMMON, LIST, FormatPreview

LINES = (
    b'192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a\x1b[2J\tb?c=d HTTP/1.0" 200 2326\n'
    b"nonsense\n"
    b'192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD /%b HTTP/1.1" 304 -\n' % (b"long" * 60)
)
SHOWN = """\
common  Apache, Common Log Format
matches 2 of the first 3 lines
                line 1                line 3
  client        192.0.2.7             192.0.2.8
  user          -                     frank
  time          1996-11-10T20:55:36Z  1996-11-10T20:55:37Z
  method        GET                   HEAD
  target_path   /a\\x1b[2J\\tb          /longlonglonglonglonglong…longlonglong
  target_query  c=d                   -
  protocol      HTTP/1.0              HTTP/1.1
  status        200                   304
  bytes         2326                  -
  5 more columns are undefined here
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log"
    path.write_bytes(LINES)
    return path


def test_the_columns_of_the_first_lines(
    log: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "76")
    assert main(["formats", "--try", str(log)]) == 0
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == (SHOWN, "")
    assert max(map(len, printed.out.splitlines())) <= 76


def test_standard_input_and_a_named_format(log: Path) -> None:
    assert run_here("formats", "--try", "-", '%h %l %u %t "%r" %>s %b', stdin=LINES)[1].startswith(
        b"apache\nmatches 2 "
    )
    assert run_here("formats", "squid", "--try", str(log)) == (
        1,
        b"squid  Squid's native format\nmatches 0 of the first 3 lines\n",
        "",
    )


def test_colours_on_a_terminal(log: Path) -> None:
    sent = on_a_terminal("formats", "--try", str(log)).decode()
    assert "\x1b[1;36mcommon\x1b[0m" in sent
    assert re.search(r"\x1b\[2m- *\x1b\[0m", sent)
    assert "/a\\x1b[2J\\tb" in sent


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{log}.none"], "urisect: {log}.none: No such file or directory\n"),
        (["/dev/null"], "urisect: there is no line to detect the format from; name the format\n"),
        (["{log}", "comon"], 'did you mean "common"?'),
    ],
)
def test_failures(log: Path, arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["formats", "--try", *(each.format(log=log) for each in arguments)]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert message.format(log=log) in printed.err


def test_several_formats_are_drawn_below_each_other() -> None:
    one = FormatPreview(LIST, 1, 1, [1], {"scheme": [b"a"], "authority": [b"b"], "path": [b"c"], "query": [b"d"]})
    drawn = draw_previews([one, FormatPreview(COMMON, 2, 0, [], {})])
    assert drawn.startswith(
        "list  Plain list of URIs\nmatches 1 of the first 1 line\n             line 1\n  scheme     a\n"
    )
    assert drawn.endswith(
        "  1 more column is undefined here\n\ncommon  Apache, Common Log Format\nmatches 0 of the first 2 lines\n"
    )
    every = draw_previews([one._replace(columns={**one.columns, "fragment": [b"e"]})])
    assert every.endswith("  fragment   e\n")
