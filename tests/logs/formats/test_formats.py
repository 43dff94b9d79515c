"""All named formats: their documentation, columns, samples and names."""

import io
import pickle

import pytest

from tests.support import formats_page, sizes
from urisect import logs
from urisect.cli import main
from urisect.cli.formats import describe_columns
from urisect.logs import FORMATS, Format, format_of, tables
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.format import Column

named = pytest.mark.parametrize("format", FORMATS.values(), ids=lambda format: format.name)


def test_the_page_has_the_columns_of_every_format_and_the_directives() -> None:
    page = formats_page.PAGE.read_text("utf-8")
    assert page == formats_page.with_formats(page), "run make pages"


@named
def test_every_column_has_a_meaning_and_the_same_kind_in_every_format(format: Format) -> None:
    for column, _, meaning in describe_columns(format):
        assert meaning
        if column in COLUMNS:
            assert COLUMNS[column].kind is format.kind(column)


def read(format: Format, columns: tuple[str, ...]) -> list[Column]:
    found = list(tables(io.BytesIO(format.sample), format, columns=columns))
    return [[value for table in found for value in table.column(column)] for column in columns]


@named
def test_a_field_does_not_depend_on_the_other_requested_fields(format: Format) -> None:
    everything = read(format, format.fields)
    for field, expected in sizes.some([*zip(format.fields, everything, strict=True)]):
        assert read(format, (field,)) == [expected]
    assert read(format, ()) == []


@named
def test_a_format_can_be_pickled(format: Format) -> None:
    sent = pickle.loads(pickle.dumps(format))  # noqa: S301
    assert read(sent, sent.columns) == read(format, format.columns)


@pytest.mark.parametrize("format", [*FORMATS.values()][:-1], ids=lambda format: format.name)  # a list keeps it
def test_a_line_may_begin_with_a_byte_order_mark(format: Format) -> None:
    marked = io.BytesIO(b"\xef\xbb\xbf" + format.sample)
    found = list(tables(marked, format))
    assert not any(table.rejected for table in found)
    assert [value for table in found for value in table.column(format.columns[0])] == read(format, format.columns)[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(("squid", "squid"), ("json:url", "json:url"), ("%h %U", "apache"), ("$remote_addr $uri", "nginx")),
        *(("cri+squid", "cri+squid"), ("%h + %U", "apache"), ("json:url=a,time=b+c", "json:url=a,time=b+c")),
    ],
)
def test_names_of_formats(text: str, name: str) -> None:
    assert format_of(text).name == name
    assert format_of(format_of(text)).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pcap", "no log format is called 'pcap'; there are vhost-combined, combined, "),
        ("combind", 'cdxj, cdx, list; did you mean "combined"?'),
        ("vhost_combined", 'did you mean "vhost-combined"?'),
        ("%h%u", "cannot tell where %h ends"),
        ("$a$b", "cannot tell where"),
        ("json:", "json"),
    ],
)
def test_unknown_formats(text: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=message):
        format_of(text)
    assert main(["formats", text]) == 2
    assert message in capfd.readouterr().err


def test_the_command_lists_formats_and_columns(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["formats"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(FORMATS)
    assert max(map(len, lines)) <= 80
    assert main(["formats", "combined"]) == 0
    output = capfd.readouterr().out
    assert output.startswith("client             text    client address or name\n")
    assert "\nA target or referer with an escaped quote" in output
    assert output.endswith(FORMATS["combined"].sample.decode())
    assert main(["formats", "%{Foo}i %s"]) == 0
    assert capfd.readouterr().out == "foo     text\nstatus  number  response status code\n"


def test_an_unknown_attribute_of_the_package() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        logs.nothing  # type: ignore[attr-defined]  # noqa: B018
    assert logs.batches is logs.batches


def test_a_stateless_format_keeps_its_header() -> None:
    assert not logs.COMMON.stateful
    assert logs.COMMON.header(b"#Fields: time\n", b"what was known") == b"what was known"
