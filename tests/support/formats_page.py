"""Write the tables of `docs/reference/formats.md` from the code: `make pages`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tests.support.pages import table, with_generated
from tests.support.paths import DOCS
from urisect.cli.formats import describe_columns
from urisect.logs import FORMATS, Format
from urisect.logs.formats.apache import DIRECTIVES
from urisect.logs.formats.directives import Directive
from urisect.logs.formats.fields import ALIASES
from urisect.logs.formats.nginx import VARIABLES
from urisect.logs.input.json_detection import WELL_KNOWN_MEMBERS

__all__ = ["PAGE", "with_formats"]

PAGE = DOCS / "reference" / "formats.md"


def with_formats(page: str) -> str:
    """Replace the generated tables of the page."""
    tables = {
        "aliases": _aliases(),
        "named-formats": (line for format in FORMATS.values() for line in _named_format(format)),
        "directives": _directives("directive", DIRECTIVES),
        "variables": _directives("variable", VARIABLES),
        "members": _members(),
    }
    for name, lines in tables.items():
        page = with_generated(page, name, "\n".join(lines).rstrip() + "\n")
    return page


def _aliases() -> list[str]:
    aliases = defaultdict(list)
    for alias, field in ALIASES.items():
        aliases[field].append(alias)
    return table(("field", "aliases"), ((f"`{field}`", _code(names)) for field, names in aliases.items()))


def _named_format(format: Format) -> Iterator[str]:
    yield f"### {format.name}\n\n{format.title}. {format.notes}\n"
    yield f"```text\n{format.sample.decode()}```\n"
    rows = ((f"`{column}`", kind, meaning) for column, kind, meaning in describe_columns(format))
    yield from (*table(("column", "kind", "meaning"), rows), "")


def _directives(title: str, directives: Mapping[str, Directive]) -> list[str]:
    rows = ((f"`{text}`", _code(directive.columns), directive.meaning) for text, directive in directives.items())
    return table((title, "columns", "meaning"), rows)


def _members() -> list[str]:
    return table(
        ("column", "members"), ((f"`{column}`", _code(members)) for column, members in WELL_KNOWN_MEMBERS.items())
    )


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
