"""The commands that print and change parts of references: get, set."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.command import run_here
from urisect import query, split
from urisect.cli import main
from urisect.cli.get import FIELDS
from urisect.cli.set import UNDEFINABLE

URI = "https://fred:a:b@example.com:8042/over/there?name=R%26D&x&name=b+c#nose"

any_lines = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=sizes.choose(full=300, quick=60)
)


# get


@pytest.mark.parametrize(
    ("template", "written"),
    [
        ("{scheme} {authority}", "https fred:a:b@example.com:8042"),
        ("{userinfo} {user} {password}", "fred:a:b fred a:b"),
        ("{host}:{port}{path}", "example.com:8042/over/there"),
        ("{query}#{fragment}", "name=R%26D&x&name=b+c#nose"),
        ("{reference}", URI),
        ("{query:name}|{query:x}|{query:y}", "R&D|~|~"),
        ("{query-all:name}|{query-all:x}|{query-all:y}", "R&D b+c|~|~"),
        (r"{{{host}}}\t\n\r\\", "{example.com}\t\n\r\\"),
        ("é\udcff{port}", "é\udcff8042"),
    ],
)
def test_a_template_is_filled(template: str, written: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["get", "--null", "~", template, URI]) == 0
    assert capfdbinary.readouterr().out == os.fsencode(written) + b"\n"


def test_undefined_and_empty_fields() -> None:
    template = "{scheme},{authority},{userinfo},{user},{password},{host},{port},{path},{query},{fragment},{query:a}"
    lines = b"\n//@:?a#\n//u@"
    assert run_here("get", template, stdin=lines) == (0, b",,,,,,,,,,\n,@:,,,,,,,a,,\n,u@,u,u,,,,,,,\n", "")
    assert run_here("get", "--null", "-", template, stdin=b"//u@?a=")[1] == b"-,u@,u,u,-,,-,,a=,-,\n"
    assert run_here("get", "--null", "\udcff", "{port}", stdin=b"a") == (0, b"\xff\n", "")


def test_line_ends_in_values_stay_escaped() -> None:
    assert run_here("get", "{query:a}|{query-all:a}", stdin=b"?a=%0A%0d%41%250A")[1] == b"%0A%0dA%0A|%0A%0dA%0A\n"


def test_plus_is_a_space_in_forms() -> None:
    for options, written in (([], b"b+c b+c\n"), (["--form"], b"b c b c\n")):
        assert run_here("get", *options, "{query:a} {query-all:a}", stdin=b"?a=b+c") == (0, written, "")


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "'' has no field in braces, such as {host}."),
        ("host", "'host' has no field in braces, such as {host}."),
        ("{host", "a single '{' in '{host'; write {{ for a brace."),
        ("{host}}", "a single '}' in '{host}}'; write }} for a brace."),
        (r"{host}\x", r"'\\x' is no escape; there are \t, \n, \r and \\."),
        ("{host}\\", r"'\\' is no escape; there are \t, \n, \r and \\."),
        ("{}", "no field is called ''; there are scheme, authority"),
        ("{path:decoded}", "no field is called 'path:decoded'; there are"),
        ("{query-al:a}", "no field is called 'query-al:a'; there are"),
    ],
)
def test_an_invalid_template_is_a_usage_error(template: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["get", template, os.devnull]) == 2
    assert message in capfd.readouterr().err


@any_lines
@given(line=st.binary().map(lambda line: line.replace(b"\n", b"")))
@example(line=b"//u:p@[::1]:8?a=%ff#\xff")
def test_get_prints_what_the_library_returns(line: bytes, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    reference = split(b"x:" + line)
    argument = os.fsdecode(b"x:" + line.replace(b"\0", b""))
    reference = split(os.fsencode(argument))
    names = [name for name in FIELDS if name not in ("user", "password", "reference")]
    template = "".join(f"{{{name}}}\\n" for name in names)
    assert main(["get", "--null", "undefined", template, argument]) == 0
    values = [getattr(reference, name) for name in names]
    expected = b"".join((b"undefined" if value is None else value) + b"\n" for value in values)
    assert capfdbinary.readouterr().out == expected + b"\n"


# set


@pytest.mark.parametrize(
    ("options", "written"),
    [
        (["--scheme", "http"], "http://fred:a:b@example.com:8042/over/there?name=R%26D&x&name=b+c#nose"),
        (["--host", "[::1]", "--port", "80"], "https://fred:a:b@[::1]:80/over/there?name=R%26D&x&name=b+c#nose"),
        (["--userinfo", "u"], "https://u@example.com:8042/over/there?name=R%26D&x&name=b+c#nose"),
        (["--path", "/%C3", "--fragment", ""], "https://fred:a:b@example.com:8042/%C3?name=R%26D&x&name=b+c#"),
        (["--query-string", "a=b"], "https://fred:a:b@example.com:8042/over/there?a=b#nose"),
        (["--drop", "userinfo, port,query,fragment"], "https://example.com/over/there"),
        (["--drop", "scheme,authority"], "/over/there?name=R%26D&x&name=b+c#nose"),
        (["--query", "x=1&2", "--query", "y"], URI.replace("&x&", "&x=1%262&").replace("#", "&y#")),
        (["--query", "name=1", "--query", "name=2"], URI.replace("R%26D", "1").replace("b+c", "2")),
        (["--remove", "na*"], URI.replace("name=R%26D&", "").replace("&name=b+c", "")),
        (["--remove", "x", "--remove", "name"], URI.replace("?name=R%26D&x&name=b+c", "")),
        (["--sort-query"], URI.replace("&x&name=b+c", "&name=b+c&x")),
        (["--form", "--query", "x=a b"], URI.replace("&x&", "&x=a+b&")),
        (["--query-string", "a&b", "--remove", "b", "--query", "a=1", "--query", "0=1", "--sort-query"], None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_reference_is_changed(options: list[str], written: str | None, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["set", *options, URI]) == 0
    expected = written or "https://fred:a:b@example.com:8042/over/there?0=1&a=1#nose"
    assert capfd.readouterr() == (f"{expected}\n", "")


def test_a_line_that_cannot_be_changed_is_rejected_and_leaves_an_empty_line(tmp_path: Path) -> None:
    lines = b"http://a/\nmailto:a@b\n//c\n"
    kept = tmp_path / "rejects"
    status, out, messages = run_here("set", "--port", "80", "--rejects", str(kept), stdin=lines)
    assert (status, out) == (0, b"http://a:80/\n\n//c:80\n")
    first, last = messages.splitlines()
    assert first.startswith("<stdin>:2: the port needs a host, which may be empty; --drop authority drops")
    assert last == "3 lines read: 2 changed, 1 rejected"
    assert kept.read_bytes() == b"-\t2\t10\tmailto:a@b\n"
    assert run_here("set", "--port", "80", "--strict-exit", "--quiet", stdin=lines)[::2] == (1, "")
    assert run_here("set", "--port", "80", "--quiet", "mailto:a@b") == (1, b"\n", "")


def test_a_line_over_the_limit_leaves_an_empty_line_too() -> None:
    expected = (0, b"a#x\n\n/c#x\n", "3 lines read: 2 changed, 0 rejected, 1 skipped\n")
    assert run_here("set", "--fragment", "x", "--limit", "2", stdin=b"a\nbbb\n/c\n") == expected


def test_bytes_stay(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"//\xff%zz /\xff?\xff&%\r\r\n")
    assert run_here("set", "--fragment", "\udcfe", str(path)) == (0, b"//\xff%zz /\xff?\xff&%\r#\xfe\n", "")
    assert run_here("set", "--remove", "nothing", str(path)) == (0, b"//\xff%zz /\xff?\xff&%\r\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "There is nothing to change: name a change, such as --host or --query."),
        (["--drop", "host"], f"no component is called 'host'; there are {', '.join(UNDEFINABLE)}"),
        (
            ["--drop", "query", "--query-string", "a"],
            "--drop and another option name the query: give only one",
        ),
        (["--path", "a\nb"], "contains a line end, which must be encoded as %0A or %0D."),
        (["--port", "8O"], "'8O' is not a number."),
        (["--fragment", "a\r"], "contains a line end, which must be encoded as %0A or %0D."),
    ],
)
def test_impossible_changes_are_usage_errors(
    options: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["set", *options, os.devnull]) == 2
    assert message in " ".join(capfd.readouterr().err.split())


@any_lines
@given(line=st.binary().map(lambda line: b"x:?" + line.translate(None, b"\n\0")))
@example(line=b"x:?b&a=%ff&a=1&&=")
def test_set_does_what_the_library_does(line: bytes, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    argument = os.fsdecode(line)
    assert main(["set", "--remove", "b", "--query", "a=1", "--sort-query", argument]) == 0
    expected = query.sort(query.set(query.remove(line, b"b"), {b"a": b"1"}))
    assert capfdbinary.readouterr().out == expected + b"\n"
