"""`urisect sql` prints what the library writes, and names wrong fields."""

import pytest

from urisect.cli import main
from urisect.engines.sql import DIALECTS, split


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_expression_is_one_line(dialect: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", dialect, "url"]) == 0
    assert capfd.readouterr().out == f"{split(dialect, 'url')}\n"


def test_fields_are_chosen(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "duckdb", "p.url", "--fields", "path, host"]) == 0
    assert capfd.readouterr().out == f"{split('duckdb', 'p.url', ['path', 'host'])}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sprak", "url"], '; did you mean "spark"?'),
        (["spark", "url", "--fields", "hots"], "'--fields': unknown field 'hots' (known: scheme, "),
        (
            ["spark", "url", "--fields", "host,host"],
            "'--fields': name each field once, and at least one, not host, host",
        ),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_wrong_names(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", *arguments]) == 2
    assert message in capfd.readouterr().err
