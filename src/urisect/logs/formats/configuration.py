"""Find log formats in the configuration of nginx (`log_format`) or Apache httpd (`LogFormat`), by their names."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from glob import escape, has_magic, iglob
from itertools import islice
from typing import ClassVar, NamedTuple

from urisect.logs.formats.format import Format
from urisect.logs.formats.literals import unescape_quoted
from urisect.repetition import one_or_more, unrolled_loop
from urisect.suggestion import did_you_mean

__all__ = ["configured_format", "format_of_configuration"]

# What is read at most: files, and their bytes. A large server has some hundred files of a few kB.
MAX_FILES = 1000
MAX_BYTES = 1 << 24

# How many paths of a pattern, or in a directory, are sorted at most.
MAX_PATHS = 100_000

# How many unreadable files a message names.
MAX_NAMED_FILES = 3

DOUBLE_QUOTED_TEXT = unrolled_loop(r'[^"\\]', r"\\[\s\S]")
SINGLE_QUOTED_TEXT = unrolled_loop(r"[^'\\]", r"\\[\s\S]")

# A word of nginx without quotes. "{" ends it, except in a variable such as ${name}.
BARE_WORD = one_or_more(r"[^ \t\r\n;{\\$]++|\\[\s\S]|\$(?>\{|)")


def configured_format(text: str) -> Format | None:
    r"""Return the log format that a text names in the configuration of a server.

    Args:
        text: the path of the configuration, with ":" and a name after it, or without, see `format_of_configuration`;
            "apache:" and a nickname of Apache's own configuration, or a format string; "nginx:" and "combined", nginx's
            predefined format, or a format string.

    Returns:
        The format; None if the text is a format string, or names nothing of this kind.

    Raises:
        ValueError: there is no such file, or no such format in it.

    >>> configured_format("apache:combinedio").columns[-2:], configured_format("%h")
    (('bytes_received', 'bytes_sent'), None)
    """
    server, colon, rest = text.partition(":")
    if colon and server in SERVERS:
        return _named_format(SERVERS[server], rest)
    path, name = _split_name(text)
    if os.path.exists(path) and not os.path.isdir(path):
        return format_of_configuration(path, name)
    if "$" in text or "%" in text:
        return None
    if os.path.isdir(path):
        raise ValueError(f"{path!r} is a directory; name the server's configuration in it, such as nginx.conf")
    if "/" in path or os.sep in path or path.endswith(".conf"):
        raise ValueError(f"there is no file {path!r}; name a server's configuration, a log format, or a format string")
    return None


def _split_name(text: str) -> tuple[str, str]:
    """Split a text at its last ":", unless the whole is a path, or the ":" follows the letter of a drive."""
    path, _, name = text.rpartition(":")
    is_drive = re.fullmatch("[A-Za-z]", path) and name.startswith(("\\", "/"))
    return (text, "") if not path or is_drive or os.path.exists(text) else (path, name)


def format_of_configuration(path: str, name: str = "") -> Format:
    """Return a log format that is defined in the configuration of nginx or Apache httpd.

    The files that it includes are read, too: up to 1,000 files and 16 MiB. Their paths are relative to the directory of
    the configuration, or to the ServerRoot of httpd. All sections count, and so do conditional ones.

    Args:
        path: the path of the configuration.
        name: the name of the format. It may be omitted if the configuration defines exactly one format, or if all of
            its logs have the same one.

    Returns:
        The format, with the name that it has in the configuration.

    Raises:
        ValueError: the configuration cannot be read, has no such format, or has several; or the format has no format
            string that can be parsed.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     path = Path(directory, "nginx.conf")
    ...     written = path.write_text("http { log_format timed '$remote_addr $request_time'; }")
    ...     format = format_of_configuration(str(path), "timed")
    >>> format.name, format.columns
    ('timed', ('client', 'duration'))
    """
    files = _Files(path)
    text = files.read(path)
    if text is None:
        raise ValueError(f"cannot read the configuration {path!r}: {files.unreadable[path]}")
    is_of_httpd = HTTPD_LINE.search(text) or not NGINX_LINE.search(text)
    server = SERVERS["apache" if is_of_httpd else "nginx"](files)
    server.read(text)
    return server.find(name)


def _named_format(server: "type[_Server]", text: str) -> Format:
    """Return the format that a server knows by a name, or that a format string describes."""
    if server.sign in text:
        return server.build(text, "")
    known = server.predefined()
    if text not in known:
        hint = did_you_mean(text, known)
        raise ValueError(f"{server.title} predefines no log format {text!r}; there are {', '.join(known)}{hint}")
    return server.build(text, text)


# A line that only a configuration of httpd has, and a line that ends as most of nginx's do.
HTTPD_LINE = re.compile(
    r"^[ \t]*(?:(?:LogFormat|CustomLog|TransferLog|GlobalLog|IncludeOptional|LoadModule|ServerRoot)[ \t]"
    r"|</(?:VirtualHost|IfModule|IfDefine|Directory|Location|Files)[^>\n]*>)",
    re.MULTILINE | re.IGNORECASE,
)
NGINX_LINE = re.compile(r"[;{}][ \t]*(?:#[^\n]*)?$", re.MULTILINE)


class _Files:
    """The files of a configuration; each is read once.

    Attributes:
        path: the path of the configuration.
        directories: where relative paths begin; the first one with such a file counts.
        unreadable: why files could not be read, by their paths.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.directories = [os.path.dirname(path)]
        self.unreadable: dict[str, str] = {}
        self._seen: set[str] = set()
        self._bytes_left = MAX_BYTES

    def read(self, path: str) -> str | None:
        """Read a file; return None if it was read before, or cannot be read."""
        identity = os.path.realpath(path)
        if identity in self._seen:
            return None
        self._seen.add(identity)
        if len(self._seen) > MAX_FILES:
            self.unreadable[path] = f"only the first {MAX_FILES:,} files are read"
            return None
        try:
            with open(path, "rb") as file:
                data = file.read(self._bytes_left + 1)
        except OSError as error:
            self.unreadable[path] = error.strerror or str(error)
            return None
        if len(data) > self._bytes_left:
            self.unreadable[path] = f"only the first {MAX_BYTES >> 20} MiB of a configuration are read"
            return None
        self._bytes_left -= len(data)
        return data.decode("utf-8-sig", "surrogateescape").replace("\r\n", "\n")

    def included(self, pattern: str, *, is_optional: bool) -> Iterator[str]:
        """Yield the contents of the files that a pattern means, sorted; of all files in a directory."""
        for path in self._paths(pattern, is_optional=is_optional):
            if not os.path.isfile(path):  # a pipe would never end
                self.unreadable[path] = "no such file"
            elif (text := self.read(path)) is not None:
                yield text

    def _paths(self, pattern: str, *, is_optional: bool) -> list[str]:
        for directory in self.directories:
            path = os.path.join(directory, pattern)
            if os.path.isdir(path):
                everything = iglob(os.path.join(escape(path), "**"), recursive=True)
                return sorted(filter(os.path.isfile, islice(everything, MAX_PATHS)))
            if found := sorted(islice(iglob(path), MAX_PATHS)):
                return found
        return [] if is_optional or has_magic(pattern) else [os.path.join(self.directories[0], pattern)]


class _Directive(NamedTuple):
    """A directive of a configuration.

    Attributes:
        name: its name.
        arguments: its arguments, without their quotes.
        source: the directive as it is written, if its format string is parsed with it.
    """

    name: str
    arguments: list[str]
    source: str = ""


class _Server(ABC):
    """A reader of the log formats in the configuration of a server."""

    title: ClassVar[str]
    sign: ClassVar[str]  # which every format string contains

    def __init__(self, files: _Files) -> None:
        self._files = files
        self._definitions: dict[str, str] = {}  # the sources of the formats, by their names
        self._unnamed: list[str] = []  # format strings without a name
        self._used: list[str] = []  # the names, or format strings, of the logs

    @staticmethod
    @abstractmethod
    def predefined() -> Iterable[str]:
        """Return the names of the formats that need no definition."""

    @staticmethod
    @abstractmethod
    def build(source: str, name: str) -> Format:
        """Build a format from its definition, or from a predefined name; without a name, it has that of the server."""

    @staticmethod
    @abstractmethod
    def directives(text: str) -> Iterator[_Directive]:
        """Yield the directives of a file."""

    @abstractmethod
    def apply(self, directive: _Directive) -> Iterator[str]:
        """Note what a directive says about formats, and return the contents of the files that it includes."""

    def read(self, text: str) -> None:
        """Read a configuration, and each included file where it is included."""
        pending = [self.directives(text)]
        while pending:
            directive = next(pending[-1], None)
            if directive is None:
                pending.pop()
            else:
                texts = self.apply(directive)
                pending.append(inner for text in texts for inner in self.directives(text))

    def find(self, name: str) -> Format:
        """Return the format of a name, or without a name the only one."""
        name = name or self._only_name()
        source = name if name in self._unnamed else self._definitions.get(name, "")
        if not source and name in self.predefined():
            source = name
        if not source:
            known = [*self._definitions, *(each for each in self.predefined() if each not in self._definitions)]
            raise ValueError(
                f"{self._files.path!r} defines no log format {name!r}; there are {', '.join(known)}"
                f"{did_you_mean(name, known)}{self._unreadable()}"
            )
        try:
            return self.build(source, "" if name in self._unnamed else name)
        except ValueError as error:
            raise ValueError(f"{self._files.path!r}, log format {name!r}: {error}") from None

    def _only_name(self) -> str:
        """Return the name of the only format, or of the only one that logs have."""
        for names in ({*self._definitions, *self._unnamed}, {*self._used}):
            if len(names) == 1:
                return names.pop()
        path = self._files.path
        if not self._definitions:
            raise ValueError(
                f"{path!r} defines no log format: it has no log_format of nginx, and no LogFormat of httpd with a name"
                f"{self._unreadable()}"
            )
        raise ValueError(
            f"{path!r} defines the log formats {', '.join(self._definitions)}; name one of them, as in "
            f"{path}:{next(iter(self._definitions))}"
        )

    def _unreadable(self) -> str:
        """Return the end of a message: which files could not be read."""
        named = [f"{path!r} ({reason})" for path, reason in self._files.unreadable.items()]
        more = f" and {len(named) - MAX_NAMED_FILES:,} more" if len(named) > MAX_NAMED_FILES else ""
        return f"; could not read {', '.join(named[:MAX_NAMED_FILES])}{more}" if named else ""


# A comment, a punctuation mark, or a word, quoted or not.
NGINX_TOKEN = re.compile(
    rf"""\#[^\n]*+|(?P<mark>[;{{}}])|"(?P<double>{DOUBLE_QUOTED_TEXT})"|'(?P<single>{SINGLE_QUOTED_TEXT})'"""
    rf"""|(?P<bare>{BARE_WORD})"""
)

# A string or a comment of Lua, whose braces do not count, or a brace. What is not closed reaches to the end.
LUA_LONG_TEXT = r"\[\[[\s\S]*?(?:\]\]|\Z)"
LUA_TOKEN = re.compile(
    rf"""--{LUA_LONG_TEXT}|--[^\n]*+|{LUA_LONG_TEXT}|"{DOUBLE_QUOTED_TEXT}"?+|'{SINGLE_QUOTED_TEXT}'?+|(?P<brace>[{{}}])"""
)


class _Nginx(_Server):
    """The configuration of nginx: https://nginx.org/en/docs/http/ngx_http_log_module.html."""

    title = "nginx"
    sign = "$"

    @staticmethod
    def predefined() -> Iterable[str]:
        return ("combined",)

    @staticmethod
    def build(source: str, name: str) -> Format:
        from urisect.logs.formats.nginx import nginx  # noqa: PLC0415  needed only if the format is one of nginx

        for directive in _Nginx.directives(source):
            match directive:
                case ("log_format", [_, "escape=json", *pieces], _) if "".join(pieces).lstrip().startswith("{"):
                    from urisect.logs.formats.nginx_json import nginx_json  # noqa: PLC0415

                    return nginx_json("".join(pieces), name)
        return nginx(source, name or "nginx")

    @staticmethod
    def directives(text: str) -> Iterator[_Directive]:
        words: list[str] = []
        start = position = 0
        while found := NGINX_TOKEN.search(text, position):
            position = found.end()
            if found["mark"]:
                if words:
                    yield _Directive(words[0], words[1:], text[start:position])
                    if found["mark"] == "{" and words[0].endswith("_by_lua_block"):
                        position = _end_of_lua_block(text, position)
                words = []
            elif found.lastgroup:
                start = start if words else found.start()
                words.append(unescape_quoted(found[found.lastgroup]))

    def apply(self, directive: _Directive) -> Iterator[str]:
        match directive:
            case ("log_format", [name, _, *_], source):
                self._definitions[name] = source
            case ("access_log", [path, *others], _) if path != "off":
                self._used.append(others[0] if others else "combined")
            case ("include", [pattern], _):
                return self._files.included(pattern, is_optional=False)
        return iter(())


def _end_of_lua_block(text: str, position: int) -> int:
    """Return where a block of Lua ends whose "{" was before a position."""
    depth = 1
    for found in LUA_TOKEN.finditer(text, position):
        depth += {"{": 1, "}": -1}.get(found["brace"], 0)
        if not depth:
            return found.end()
    return len(text)


# A word of a line of httpd, quoted or not. A quoted one ends at the end of the line at the latest.
HTTPD_WORD = re.compile(rf"""\"({DOUBLE_QUOTED_TEXT})\"?+|'({SINGLE_QUOTED_TEXT})'?+|(\S++)""")


class _Httpd(_Server):
    """The configuration of Apache httpd: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html."""

    title = "Apache"
    sign = "%"

    def __init__(self, files: _Files) -> None:
        super().__init__(files)
        self._default = "common"  # the format of TransferLog

    @staticmethod
    def predefined() -> Iterable[str]:
        from urisect.logs.formats.apache import NICKNAMES  # noqa: PLC0415  needed only if the format is one of httpd

        return NICKNAMES

    @staticmethod
    def build(source: str, name: str) -> Format:
        from urisect.logs.formats.apache import apache  # noqa: PLC0415

        return apache(source, name or "apache")

    @staticmethod
    def directives(text: str) -> Iterator[_Directive]:
        for line in text.replace("\\\n", "").split("\n"):
            if not line.lstrip().startswith("#"):
                words = [found[found.lastindex or 0] for found in HTTPD_WORD.finditer(line)]
                if words:
                    yield _Directive(words[0].lower(), words[1:])

    def apply(self, directive: _Directive) -> Iterator[str]:
        match directive:
            case ("logformat", [source, *names], _):
                source = self._definitions.get(source, source)
                if names:
                    self._definitions[names[0]] = source
                else:
                    self._default = source
            case ("customlog" | "globallog", [_, source, *_], _):
                self._use(source)
            case ("transferlog", [_, *_], _):
                self._use(self._default)
            case ("serverroot", [directory, *_], _):
                self._files.directories.insert(0, os.path.join(self._files.directories[-1], directory))
            case ("include" | "includeoptional" as name, [pattern, *_], _):
                return self._files.included(pattern, is_optional=name == "includeoptional")
        return iter(())

    def _use(self, source: str) -> None:
        """Note the format of a log: a name or a format string."""
        self._used.append(source)
        if self.sign in source:
            self._unnamed.append(source)


SERVERS: dict[str, type[_Server]] = {"apache": _Httpd, "nginx": _Nginx}
