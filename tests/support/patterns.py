"""Collect every regular expression that the package compiles, and where: `python -m tests.support.patterns FILE`.

CPython 3.11.0 to 3.11.4 match a possessive quantifier on a group wrongly (gh-106052).
"""

import ast
import io
import json
import os
import pkgutil
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import FrameType

from tests.support import sizes

PACKAGE = Path(str(cast("ModuleSpec", find_spec("urisect")).origin)).parent  # not imported yet, to see all compilations
FUNCTIONS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
SINGLE = {"ANY", "IN", "LITERAL", "NOT_LITERAL"}

_internals: Any = re
_parse = _internals._parser.parse


def has_possessive_group(tree: Any) -> bool:
    """Check whether anything but a single class or character in a parse tree has a possessive quantifier.

    >>> [has_possessive_group(parsed(source)) for source in ("[ab]*+", "(?:ab)*+", "(?>(?:ab)*)", "(a(?:b?c){2,}+)")]
    [False, True, False, True]
    """
    if isinstance(tree, _internals._parser.SubPattern):
        return any(map(_is_possessive_group, tree)) or any(has_possessive_group(argument) for _, argument in tree)
    return isinstance(tree, tuple | list) and any(map(has_possessive_group, tree))


def _is_possessive_group(node: tuple[Any, Any]) -> bool:
    operation, argument = node
    if str(operation) != "POSSESSIVE_REPEAT":
        return False
    _, _, item = argument
    return len(item) != 1 or str(item[0][0]) not in SINGLE


def parsed(source: str | bytes, flags: int = 0) -> Any:
    return _parse(source, flags)


def refuse_possessive_groups() -> None:
    """Make every later compilation in this process fail if a group has a possessive quantifier."""

    def checked(source: str | bytes, *rest: Any, **options: Any) -> Any:
        tree = _parse(source, *rest, **options)
        assert not has_possessive_group(tree), f"a possessive quantifier on a group: {source!r}"
        return tree

    _internals._parser.parse = checked


# The source


def modules() -> Iterator[str]:
    for module in pkgutil.walk_packages([str(PACKAGE)], "urisect."):
        if not module.name.endswith("__main__") and not module.name.startswith("urisect.engines."):
            yield module.name


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def names_compilation(node: ast.AST) -> bool:
    """Check whether this is a function of `re` or `regex` that compiles."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in {"re", "regex"}
        and node.attr in FUNCTIONS
    )


def call_sites() -> set[tuple[str, int]]:
    """Return the file and the line of each call of such a function."""
    return {
        (file, node.lineno)
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and names_compilation(node.func)
    }


def passed_on() -> set[str]:
    """Return the files that pass such a function to other code, which calls it."""
    return {
        file
        for file, tree in trees()
        if sum(map(names_compilation, ast.walk(tree)))
        > sum(isinstance(node, ast.Call) and names_compilation(node.func) for node in ast.walk(tree))
    }


def other_imports() -> list[str]:
    """Return imports of an engine under a name that `call_sites` does not know."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in trees()
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and node.module in {"re", "regex"})
        or (isinstance(node, ast.Import) and any(name.name in {"re", "regex"} and name.asname for name in node.names))
    ]


def possessive_groups_in_texts() -> list[str]:
    """Return strings of the source, except docstrings, with a possessive quantifier after the end of a group."""
    found = []
    for file, tree in trees():
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
            if isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and id(node) not in docstrings:
                text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
                if re.search(r"(?<![(\\])\)(?:[*+?]|\{[0-9,]*\})\+", text):
                    found.append(f"{file}:{node.lineno}: {text}")
    return found


# The input for all functions that compile

TEXTS = [
    *("", "a b", "http://u@h:80/a?b#c", "HTTP://%7eH%2f/%7E/..", "//[::1]:8/", "http://[v1.a]/", "//127.1/"),
    *("a@b.example", "www.example.com/a", "mailto:a@b", "1a:b", "%", "%zz", "é", "\udcff", "\ud800", "//h:x/\n"),
    *("s:../a/./b", "http:a", "<http://a/\n b>", "“http://a”", "http://xn--/\u202e", "//h.example/\\"),
    *(
        "/a;b=c?d=e&f",
        "x:" + "a" * 30,
        "http://[1:2",
        "http://10-0-0-1.nip.io/",
        "//é%C3%A9/%C3%A9?%C3%A9",
        "//xn--tda/",
    ),
]
WEB_ADDRESSES = [
    *(
        "my site is a.example",
        "http : // a..-b!/",
        "a：b.example:x",
        "http://http://a_b@é",
        "http://a@1.2.3:99999",
        "+123456",
    ),
    *("1.2.3.4:5", "a.example:5", "intranet:5", "'a'", "http://a.example/<b>"),
]
URLS = [
    *("www.a/%2541/..", "http://http://www.a/é", "http://1.2/%", "http://1/", "http://a/%%%252525%2525"),
    *("http://a/(0123456789abcdefghijklmn)/b.aspx", f"http://a/%41?sid={'0' * 32}", f"http://a/?sid={'0' * 32}"),
]
OCTETS = [text.encode("utf-8", "surrogatepass") for text in TEXTS]
STOPS = ["", " ", '" ', "\\\n", ":/?#", "a]^-"]
HTML = (
    "<html><body a><html b><base href=/b/><a href=x ping='a b'><img srcset='a 1x, b(,) 2x'><applet archive='a, b'>"
    "<meta http-equiv=refresh content='0; url=x'>"
)
RULES = ("URI-reference", "URI", "absolute-URI", "relative-ref")

# Templates with a directive and another one, and formats of times
PLACES = [
    *("{}", '"{}"', "{} {}", "[{}] {}", '"{}" {}', "'{}' {}", "{},{}", "a{}b", "{}\t{}", "{}: {}", "{}{}", "{};{}"),
    *("{1} {0}", "({0})", "{0} {0}", '{0} "{0}"', "{0} - {1}", "{0}/{1}", "{0}?{1}", "{0}:{1}"),
]
TIMES = ["", "%d/%b/%Y:%T", "%s", "sec", "msec", "usec", "msec_frac", "%Y-%m-%dT%H:%M:%S%z", "begin:%c", "%j %y %R"]


def attempt(function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Call a function; errors in its arguments do not matter here."""
    with suppress(ValueError, TypeError):
        result = function(*arguments, **options)
        if isinstance(result, Iterator):
            deque(result, maxlen=0)


def references() -> None:
    """Run every function of the library that takes a text."""
    import urisect  # noqa: PLC0415  after compilation is observed
    from urisect import crawl, document, iri, percent, text, web  # noqa: PLC0415

    for address in WEB_ADDRESSES:
        web.check(address)
    for stop in STOPS:
        for prefix in ("", "a_"):
            re.compile(urisect.pattern(prefix, stop))
            re.compile(urisect.pattern(prefix, stop).encode())
    urisect.split_lines("\n".join(TEXTS))
    urisect.split_lines(b"\n".join(OCTETS))
    functions = (
        *(urisect.split, urisect.hazards, percent.decode, percent.repair, text.unwrap, text.complete, text.find),
        *(web.is_valid, web.check, crawl.surt, crawl.site, crawl.robots_path),
    )
    components = ("userinfo", "host", "segment", "path", "query", "query value", "fragment")
    for texts in (TEXTS, OCTETS):
        for each in texts:
            for function in functions:
                attempt(function, each)
            for convert in (iri.to_uri, iri.to_iri):
                attempt(convert, each)
                attempt(convert, each, idna=True)
            for component in components:
                attempt(percent.encode, each, component)
            attempt(urisect.resolve, texts[2], each)
            attempt(urisect.relativize, texts[2], each)
            attempt(lambda reference: urisect.unsplit(urisect.split(reference)), each)
            attempt(lambda reference: urisect.split(reference).replace(host=reference), each)
            attempt(urisect.query.sort, each)
            attempt(urisect.query.remove, texts[2], each)
            for profile in crawl.PROFILES:
                attempt(crawl.key, each, profile)
    for profile in crawl.PROFILES:
        crawl.key(f"http://a.example/(S({'0' * 24}));jsessionid=1/?sid={'0' * 32}", profile)
    for url in URLS:
        attempt(crawl.surt, url)
    attempt(lambda data: [*text.find_in_stream(io.BytesIO(data))], b"." * text.CHUNK_BYTES)
    for parts in ({"host": "h", "port": "80"}, {"host": "[::1]", "scheme": "a"}, {"path": ["a", "b"]}):
        attempt(urisect.compose, **parts)
    attempt(document.links, HTML, "http://h/")
    attempt(document.base_uri, html=HTML, headers={"Content-Base": "x:"}, default="http://h/")


def specifications() -> None:
    """Run every specification."""
    from urisect import normalize, strict  # noqa: PLC0415
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415

    for specification in SPECIFICATIONS.values():
        assert specification.components
        for rule in RULES:
            re.compile(specification.pattern(rule))
        for texts in (TEXTS, OCTETS):
            for each in texts:
                attempt(specification.resolve, texts[2], each)
                for level in ("string", "syntax", "scheme"):
                    attempt(normalize, each, level=level, spec=specification)
                for rule in RULES:
                    for check in (strict.split, strict.is_valid, strict.violations):
                        attempt(check, each, specification, rule)


def integrations() -> None:
    """Run every type and every format."""
    from typing import Annotated  # noqa: PLC0415

    from pydantic import TypeAdapter  # noqa: PLC0415

    from urisect.integrations import canonical_urls, jsonschema, uri_templates  # noqa: PLC0415
    from urisect.integrations import pydantic as types  # noqa: PLC0415

    for text in TEXTS:
        attempt(uri_templates.violations, f"{text}{{{text}")
        attempt(canonical_urls.canonicalize_url, text)
        for is_valid in jsonschema.FORMATS.values():
            attempt(is_valid, text)
    make_adapter: Any = TypeAdapter
    annotations: list[Any] = [types.URI, types.URIReference, types.AbsoluteURI, types.IRI, types.WebURL]
    for annotation in annotations:
        for each in (annotation, Annotated[annotation, types.Constraints(schemes=("a", "b.c"))]):
            attempt(make_adapter(each).validate_python, "a:b")


def format_strings() -> Iterator[tuple[Callable[[str], Any], str]]:
    """Yield format strings: every directive in every place, before everything that may follow it."""
    from urisect.logs import apache, json_lines, nginx  # noqa: PLC0415
    from urisect.logs.formats.apache import DIRECTIVES  # noqa: PLC0415
    from urisect.logs.formats.columns import COLUMNS  # noqa: PLC0415
    from urisect.logs.formats.nginx import VARIABLES  # noqa: PLC0415

    for key in DIRECTIVES:
        for argument in ("Name", "Referer", "a-b") if "*" in key else ("",):
            directive = key.replace("*", argument)
            for place in PLACES:
                yield apache, place.format(directive, "%s")
            for modifier in ("<", ">", "!200", "400,501"):
                yield apache, f"%{modifier}{directive[1:]} %h"
    for time in TIMES:
        for place in PLACES:
            yield apache, place.format(f"%{{{time}}}t", "%s")
    for other in ("%m %U%q %H", "%r", "%{%d}t/%{%b/%Y %T}t %s", "%h%l", r"LogFormat \"%h\" x", "%A:%p"):
        yield apache, other
    for key in VARIABLES:
        for argument in ("name", "referer") if "*" in key else ("",):
            for place in PLACES:
                for escape in ("", "escape=json ", "escape=none "):
                    yield nginx, escape + place.format(key.replace("*", argument), "$status")
    yield nginx, "log_format a '$request_method $uri$is_args$args $server_protocol' ' $scheme://$host$request_uri';"
    for column in COLUMNS:
        for unit in ("", ":s", ":ms"):
            yield json_lines, f"json:{column}=a.b{unit}"


def formats() -> Iterator[Any]:
    from urisect.logs import FORMATS  # noqa: PLC0415

    yield from FORMATS.values()
    for make, text in islice(format_strings(), None, None, sizes.choose(full=1, quick=20)):
        with suppress(ValueError):
            yield make(text)


def w3c_logs() -> Iterator[bytes]:
    from urisect.logs.formats.w3c import W3C_FIELDS  # noqa: PLC0415

    names = [*W3C_FIELDS, "date", "time", "x-own", "cs(Cookie)", "sc(A)"]
    for software in (b"", b"#Software: Microsoft Internet Information Services 10.0\n"):
        for fields in (names, *([name, *names[:2]] for name in names)):
            head = software + b"#Fields: %b\n" % " ".join(fields).encode()
            line = b" ".join([b"-"] * len(fields)) + b"\n"
            yield head + line
            yield head + line * 1000  # enough lines to compile one expression for them


def logs() -> None:
    """Parse with every format: all its columns, no column, and single columns."""
    from urisect.logs import W3C, tables  # noqa: PLC0415
    from urisect.logs.columnar import fields  # noqa: PLC0415
    from urisect.logs.formats.request import PROTOCOL_PATTERN  # noqa: PLC0415

    for pattern in (fields._METHOD, PROTOCOL_PATTERN):
        fields._memo(pattern)
    for format in formats():
        for field in layout.fields if (layout := getattr(format, "layout", None)) else ():
            fields._memo(f'(?:{field.form.pattern})"' if field.is_quoted else field.form.pattern)
        for columns in (format.fields, (), *((field,) for field in format.fields[:: sizes.choose(full=1, quick=20)])):
            for table in tables(io.BytesIO(format.sample or b"a b\n\xff\n"), format, columns=columns):
                for column in columns:
                    table.values(column)
    for log in w3c_logs():
        for table in tables(io.BytesIO(log), W3C, columns=W3C.fields):
            table.values("time")


def detections() -> None:
    """Detect formats, and explain why none fits; read times that users type."""
    from urisect.logs import FORMATS  # noqa: PLC0415
    from urisect.logs.input.detection import detect  # noqa: PLC0415
    from urisect.logs.input.mismatch import explain_mismatch  # noqa: PLC0415
    from urisect.logs.scan.time_expressions import parse_time  # noqa: PLC0415

    detect(b'{"url":"/a","status":200}\n', FORMATS.values())
    explain_mismatch(FORMATS["combined"].sample + b"more", FORMATS.values())
    for time in ("1996-11-10", "1996-11-10T13:55", "13:55", "2h", "10/Nov/1996:13:55:36 -0700", "now"):
        parse_time(time)


def commands() -> None:
    """Run every command."""
    from urisect.cli import main  # noqa: PLC0415
    from urisect.logs import COMBINED, FORMATS  # noqa: PLC0415

    with TemporaryDirectory() as directory:
        path, objects, log, report = (os.path.join(directory, name) for name in ("list", "objects", "log", "report"))
        Path(path).write_bytes(b"\n".join(octets.replace(b"\n", b"") for octets in OCTETS) + b"\n")
        Path(objects).write_text('{"scheme":"a","path":["b"],"port":80}\n{"host":"\\u001b"}\n', encoding="utf-8")
        Path(log).write_bytes(COMBINED.sample + b"nothing of the kind\n")
        for arguments in (
            *(["split", "--to", to, path] for to in ("tsv", "csv", "ndjson")),
            *(["check", path], ["check", "--to", "ndjson", path], ["split", "--strict", path]),
            *(["resolve", "http://a/", path], ["resolve", "--relativize", "http://a/", path], ["normalize", path]),
            *(["find", path], ["hazards", path], ["compose", objects], ["formats"], ["demo"]),
            *(["get", "{host} {query:d}\\t{query-all:d}", path], ["set", "--host", "a", "--remove", "*", path]),
            *(["set", "--query", "a=b", "--sort-query", "--form", path], ["repair", path], ["links", path]),
            *(["encode", "a b"], ["decode", "%0a%20"]),
            *(["sql", dialect, "url"] for dialect in ("clickhouse", "duckdb", "postgresql", "spark")),
            *(["logs", log], ["logs", "--where", "status >= 200", log], ["logs", "--format", "%h %r", log]),
            *(["top", "target_path", log], ["report", log, "-o", report], ["report", path, "-o", report]),
        ):
            main(arguments)
        for name in ("combined", "squid", "w3c", "caddy", "cdxj", "list"):
            Path(log).write_bytes(FORMATS[name].sample + b"nothing of the kind\n\xff\n")
            main(["report", "--format", name, log, "-o", report])


def collect() -> tuple[set[tuple[str | bytes, int]], set[tuple[str, int]]]:
    """Compile everything; return the sources with their flags, and the places that compiled them."""
    sources: set[tuple[Any, int]] = set()
    sites: set[tuple[str, int]] = set()

    def observe(compile: Callable[..., Any]) -> Callable[..., Any]:
        def compiled(source: Any, flags: Any = 0, *rest: Any, **options: Any) -> Any:
            frame = sys._getframe(1)
            while frame.f_code.co_filename == re.__file__:
                frame = cast("FrameType", frame.f_back)
            file = Path(frame.f_code.co_filename)
            if file.is_relative_to(PACKAGE):
                sites.add((file.relative_to(PACKAGE).as_posix(), frame.f_lineno))
            if file.is_relative_to(PACKAGE) or file == Path(__file__):
                sources.add((getattr(source, "pattern", source), int(flags)))
            return compile(source, flags, *rest, **options)

        return compiled

    _internals._compile = observe(_internals._compile)
    regex: Any = import_module("regex")
    regex.compile = observe(regex.compile)
    for module in modules():
        import_module(module)
    for exercise in (references, specifications, integrations, logs, detections, commands):
        exercise()
    return sources, sites


def main(output: str) -> None:
    sources, sites = collect()
    found = {
        "sites": sorted(sites),
        "sources": len(sources),
        "wrong": [ascii(source) for source, flags in sources if has_possessive_group(parsed(source, flags))],
    }
    Path(output).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
