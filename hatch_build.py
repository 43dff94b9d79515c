"""Write man pages and shell completion into the wheel, both from the command itself.

The modules of the command import click and nothing else, so a build needs click, but no dependency of the package.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any, cast

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilderConfig

__all__ = ["CommandFiles"]

# Where shells look for completion, below `share`.
COMPLETION = {
    "bash-completion/completions/urisect": BashComplete,
    "fish/vendor_completions.d/urisect.fish": FishComplete,
    "zsh/site-functions/_urisect": ZshComplete,
}

# In the help of a command whose exit statuses differ from those of the others.
OWN_STATUS = "The exit status is"

# What roff reads as an escape, or prints as a typographic character.
SPECIAL = str.maketrans({"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"})


class CommandFiles(BuildHookInterface[WheelBuilderConfig]):
    """Adds files for `share` to the wheel; an editable installation has none of them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files into a temporary folder."""
        if version != "standard":
            return
        sys.path.insert(0, str(Path(self.root, "src")))
        self._folder = TemporaryDirectory()
        for path, text in self._files():
            file = Path(self._folder.name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("ascii"))
        build_data["shared_data"][self._folder.name] = "share"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary folder."""
        if version == "standard":
            self._folder.cleanup()

    def _files(self) -> Iterator[tuple[str, str]]:
        from urisect.cli.app import urisect  # noqa: PLC0415  `initialize` makes it importable

        for path, shell in COMPLETION.items():
            complete = shell(urisect, {}, "urisect", "_URISECT_COMPLETE")
            yield path, ShellComplete.source(complete)  # the method of BashComplete runs bash
        for name, sections in man_pages():
            sections["SEE ALSO"] += f".PP\n{_escaped(self.metadata.core.urls['Documentation'])}\n"
            yield f"man/man1/{name}.1", _page(name, self.metadata.version, sections)


def man_pages() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the sections of each man page: that of the command, and those of its subcommands."""
    from urisect.cli.app import COMMANDS, EXIT_STATUS, urisect  # noqa: PLC0415  `initialize` makes it importable

    context = click.Context(urisect, info_name="urisect", **urisect.context_settings)
    sections = _sections(context, _help(urisect).partition("\n")[0], urisect.epilog or "")
    for title, names in COMMANDS.items():
        sections["COMMANDS"] += f".SS {title}\n"
        sections["COMMANDS"] += _terms((_reference(f"urisect-{name}"), text) for name, text in names.items())
    yield "urisect", sections
    for names in COMMANDS.values():
        for name, summary in names.items():
            command = cast("click.Command", urisect.get_command(context, name))
            child = click.Context(command, info_name=name, parent=context, **command.context_settings)
            sections = _sections(child, summary, "" if OWN_STATUS in _help(command) else EXIT_STATUS)
            others = (f"urisect-{other}" for other in names if other != name)
            sections["SEE ALSO"] = ",\n".join(map(_reference, ("urisect", *others))) + "\n"
            yield f"urisect-{name}", sections


def _sections(context: click.Context, summary: str, epilog: str) -> dict[str, str]:
    """Write the sections of a man page, by title, in their order."""
    name, command = context.command_path, context.command
    usage = _escaped(" ".join(command.collect_usage_pieces(context)))
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    records = filter(None, (option.get_help_record(context) for option in options))  # None if it is hidden
    sections = {
        "NAME": rf"{_escaped(name.replace(' ', '-'))} \- {_escaped(summary.removesuffix('.'))}" + "\n",
        "SYNOPSIS": f".B {name}\n{_with_placeholders(usage)}\n",
        "DESCRIPTION": "",
        "COMMANDS": "",
        "OPTIONS": _terms((_declaration(names), text) for names, text in records),
        "EXIT STATUS": "",
        "EXAMPLES": "",
        "SEE ALSO": "",
    }
    for paragraph in re.split(r"\n\s*\n", f"{_help(command)}\n\n{epilog}".strip()):
        head, *lines = paragraph.removeprefix("\b\n").splitlines()
        title = head.removesuffix(":").upper()
        if not paragraph.startswith("\b"):
            sections["EXIT STATUS" if OWN_STATUS in paragraph else "DESCRIPTION"] += _paragraph(paragraph)
        elif title in sections:
            sections[title] += _list_or_lines(lines)
        else:
            sections["DESCRIPTION"] += _paragraph(head) + _list_or_lines(lines) if lines else _as_is([head])
    return sections


def _help(command: click.Command) -> str:
    return cleandoc(command.help or "")


def _page(name: str, version: str, sections: dict[str, str]) -> str:
    """Write a man page. It has no date, so that each build gives the same."""
    lines = [
        f'.TH {_escaped(name.upper())} 1 "" "urisect {version}" "User Commands"',
        ".nh",  # a hyphen at the end of a line would seem to be part of an option or a name
        ".ad l",
        *(f".SH {title}\n{text.rstrip()}" for title, text in sections.items() if text),
    ]
    page = "\n".join(lines) + "\n"
    return re.sub(r"(\.SH .*\n)\.PP\n", r"\1", page)  # a section begins with a paragraph anyway


def _paragraph(text: str) -> str:
    return f".PP\n{_text(text)}\n"


def _list_or_lines(lines: list[str]) -> str:
    """Write lines as a list if they have terms and, after two spaces or more, meanings; otherwise as they are."""
    entries = re.findall(r"^  (\S+)  +(.*(?:\n {4,}.*)*)", "\n".join(lines), re.MULTILINE)
    return _terms((rf"\fB{_escaped(term)}\fP", meaning) for term, meaning in entries) if entries else _as_is(lines)


def _terms(entries: Iterable[tuple[str, str]]) -> str:
    """Write terms, which are roff already, and their meanings."""
    return "".join(f".TP\n{term}\n{_text(meaning)}\n" for term, meaning in entries)


def _as_is(lines: list[str]) -> str:
    code = _escaped(dedent("\n".join(lines)))
    return f".PP\n.nf\n{code}\n.fi\n"


def _reference(page: str) -> str:
    return rf"\fB{_escaped(page)}\fP(1)"


def _declaration(names: str) -> str:
    r"""Write the names of an option in bold, and what stands for its value in italics."""
    return re.sub(r"(?<![^ ])\\-[\w\\-]+", r"\\fB\g<0>\\fP", _with_placeholders(_escaped(names)))


def _with_placeholders(usage: str) -> str:
    return re.sub(r"\b[A-Z]+\b", r"\\fI\g<0>\\fP", usage)


def _text(paragraph: str) -> str:
    """Write a paragraph on one line, with what is in backticks in bold."""
    return re.sub(r"\\\(ga(.+?)\\\(ga", r"\\fB\1\\fP", _escaped(" ".join(paragraph.split())))


def _escaped(text: str) -> str:
    """Escape text for roff, and write it in ASCII."""
    text = re.sub(r"^\.", r"\\&.", text.translate(SPECIAL), flags=re.MULTILINE)
    return re.sub(r"[^\x00-\x7f]", lambda found: rf"\[u{ord(found[0]):04X}]", text)
