r"""Formats that stand in a server's configuration: directives with text between them, compiled to one expression.

A value is written as it is, so it is the text behind a directive that tells where the value ends: inside quotes the
next bare quote, else the first place where that text stands. Where it is but one character, such as a space, that a
value may hold, too, what follows has to have the form of the next directive, if that has one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from string import digits
from typing import NamedTuple

from urisect.bulk import pattern
from urisect.character_ranges import escape_code_point
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.format import PARTS, PatternFormat
from urisect.logs.formats.notation import Notation
from urisect.logs.formats.request import BOM, PROTOCOL, request_line, target
from urisect.reference import Reference
from urisect.repetition import one_or_more, unrolled_loop, zero_or_more

__all__ = [
    "HOST",
    "LIST",
    "NAME",
    "PATH",
    "QUERY",
    "REFERER",
    "REFERERS",
    "REQUEST",
    "REQUESTS",
    "TARGET",
    "TARGETS",
    "TEXT",
    "USER",
    "VERSION",
    "WORD",
    "Directive",
    "End",
    "Field",
    "Shape",
    "compiled",
    "literal",
    "mark",
    "owned",
    "path_and_query",
    "plenty",
    "reserved",
    "together",
    "typed",
    "unescaped",
]

END_OF_LINE = r"(?=\n|\Z)"


class End(NamedTuple):
    r"""Where a field ends, and what cannot be in it.

    Attributes:
        close: source of the text behind the field, which a match of the field takes, too.
        stop: the character at which that begins; a newline at the end of the line.
        again: source of what follows this character if it ends the field; empty if it always does.
        check: `close`, with what it takes to be sure.
        absent: what stands for a value that there is not.
        quoted: whether it stands in quotes, inside which a quote and a backslash are written with a backslash.
        first: whether it begins the line. The zeros that a crash leaves in a file are none of it.

    >>> End(close="[ ]", stop=" ", check="[ ]").run()
    '[^\\x20\\x0a]*+'
    """

    close: str
    stop: str
    again: str = ""
    check: str = ""
    absent: str = "-"
    quoted: bool = False
    first: bool = False

    @property
    def never(self) -> str:
        """The characters that are not in a field as such."""
        return "".join(dict.fromkeys(self.stop + '"\\' * self.quoted + "\0" * self.first))

    @property
    def bare(self) -> bool:
        """Whether a bare quote ends it, so that any other character may be in it."""
        return self.quoted and self.stop == '"'

    def run(self, ends: Mapping[str, str] | None = None, *, some: bool = False) -> str:
        """Write the source of any text up to the end.

        Args:
            ends: characters that end it as well, each with the source of what has to follow it; empty: anything.
            some: whether there is at least one character.
        """
        ends = {self.stop: self.again, **(ends or {})}
        plain = f"[^{_escaped([*ends, *self.never])}]"
        others = [r"\\[^\n]"] if self.quoted else []
        others += [f"{escape_code_point(ord(character))}(?!{more})" for character, more in ends.items() if more]
        if not others:
            return f"{plain}++" if some else f"{plain}*+"
        some_of_these = f"(?={'|'.join([plain, *others])})" if some else ""
        return some_of_these + unrolled_loop(plain, *others)

    def of(self, *alternatives: str) -> str:
        """Write the source of a field with its end: the first of these that it is, or none.

        Once the field is matched there is no second try, so that a line is read in linear time.
        """
        return rf"(?>{self.absent}{self.check}|{'|'.join(alternatives)})"


def _escaped(characters: Iterable[str]) -> str:
    """Write what a complement class leaves out, the end of the line included."""
    return "".join(dict.fromkeys(escape_code_point(ord(character)) for character in (*characters, "\n")))


class Shape(NamedTuple):
    r"""How the values of a directive look.

    Attributes:
        write: writes the source of a field, given the names of its columns and its end, which is included.
        form: source of what all values look like; empty if they may be any text.
        notation: how the values of the first column are written, if they are no text.
        fixed: whether a value tells where it ends.
        rooted: whether values begin with "/", and end a value with none in it.
        slashless: whether a value never has a "/" in it.
        whole: what a text is called if it cannot be cut into columns, since they are taken.

    >>> source = TEXT.write(("agent",), End(close='"', stop='"', check='"', quoted=True))
    >>> re.match(source, r'Lynx \"2.6\"" more')["agent"]
    'Lynx \\"2.6\\"'
    """

    write: Callable[[tuple[str, ...], End], str]
    form: str = ""
    notation: Notation | None = None
    fixed: bool = False
    rooted: bool = False
    slashless: bool = False
    whole: str = ""


class Directive(NamedTuple):
    """What a directive of a configuration writes.

    Attributes:
        columns: what its columns are called; "*" is the name between its braces.
        meaning: what they tell.
        shape: how it is written.

    >>> from urisect.logs.formats.apache import DIRECTIVES
    >>> DIRECTIVES["%{*}C"].columns, DIRECTIVES["%{*}C"].meaning
    (('cookie_*',), 'a cookie of the request')
    """

    columns: tuple[str, ...]
    meaning: str
    shape: Shape


class Field(NamedTuple):
    """A directive in a format.

    Attributes:
        written: as it stands there.
        columns: the names of its columns.
        shape: how its values look.

    >>> Field("%h", ("client",), WORD).columns
    ('client',)
    """

    written: str
    columns: tuple[str, ...]
    shape: Shape


def _word(names: tuple[str, ...], end: End) -> str:
    return rf"(?P<{names[0]}>{end.run(_spaceless(end), some=True)}){end.close}"


def _name(names: tuple[str, ...], end: End) -> str:
    return end.of(_word(names, end))


def _host(names: tuple[str, ...], end: End) -> str:
    return end.of(rf"(?P<{names[0]}>{end.run(_spaceless(end))}){end.close}")


def _spaceless(end: End) -> dict[str, str]:
    return {} if end.bare else {" ": ""}


def _text(names: tuple[str, ...], end: End) -> str:
    return end.of(rf"(?P<{names[0]}>{end.run()}){end.close}")


def _user(names: tuple[str, ...], end: End) -> str:
    begun = "" if end.quoted else f"(?!{escape_code_point(ord(end.stop))})"
    return end.of(rf"(?P<{names[0]}>{begun}{end.run()}){end.close}")


def _request(_: tuple[str, ...], end: End) -> str:
    closed = rf"{PROTOCOL}{end.close}"
    spaces = {" ": closed if end.stop != " " else f"{closed}|{end.again}" if end.again else ""}
    line = request_line(target(f" {end.never}\n", end.run(spaces)))
    return end.of(rf"{line}{end.check}", rf"(?P<request>{end.run()}){end.close}")


def _uri(prefix: str) -> Callable[[tuple[str, ...], End], str]:
    def write(_: tuple[str, ...], end: End) -> str:
        cut = pattern(prefix, stop=f"{end.never}\n")
        return end.of(rf"{cut}{end.check}", rf"(?P<{prefix}text>{end.run()}){end.close}")

    return write


def _query(names: tuple[str, ...], end: End) -> str:
    return end.of(end.check, rf"(?P<{names[0]}>{end.run()}){end.close}")


def path_and_query(*, hyphen: bool) -> Shape:
    """Give the shape of a path with the query behind it, and the "?" between them where there is one.

    Args:
        hyphen: whether a "-" stands for a query that there is not, rather than nothing.

    >>> end = End(close="[ ]", stop=" ", check="[ ]")
    >>> re.match(path_and_query(hyphen=True).write(("path", "query"), end), "/a-b- ").groups()
    ('/a-b', None)
    """

    def write(names: tuple[str, ...], end: End) -> str:
        path = end.run({"?": "", **({"-": end.check} if hyphen else {})})
        none = "|-" if hyphen else ""
        return end.of(rf"(?P<{names[0]}>{path})(?>\?(?P<{names[1]}>{end.run()}){none}|){end.close}")

    return Shape(write, rooted=True)


# What stands between the values of a list: ", ", and in nginx " : " before another group of servers, or before none.
SEPARATORS = (", ", " : ")


def _separators(end: End) -> list[str]:
    return [literal(text) for text in SEPARATORS if not end.close.startswith(literal(text))]


def _alone(end: End) -> End:
    """Give the end of what is no list, nor its first value."""
    return end._replace(check=f"(?!{'|'.join(_separators(end))}){end.check}")


def _element(end: End) -> str:
    """Write the source of a value of a list. It holds no space; a comma ends it where one ends a value or the list."""
    ends = end.stop == "," and len(_separators(end)) == len(SEPARATORS)
    return end.run({" ": "", ",": "" if ends else "[ ]"}, some=True)


def _list(names: tuple[str, ...], end: End) -> str:
    if end.stop not in {" ", ","}:
        return _text(names, end)
    element = _element(end)
    more = zero_or_more(rf"(?:{'|'.join(_separators(end))})(?>{element}|)")
    return _alone(end).of(rf"(?P<{names[0]}>{element}{more}){end.close}")


def plenty(notation: Notation | None = None) -> Shape:
    """Give the shape of one value, or of a list of them, which is text and has the second column.

    Args:
        notation: how one is written, if it is no text.

    >>> from urisect.logs.formats.notation import NUMBER
    >>> written = plenty(NUMBER).write(("size", "sizes"), End(close="[ ]", stop=" ", check="[ ]"))
    >>> re.match(written, "5 ").groups(), re.match(written, "5, - : 6 ").groups()
    (('5', None), (None, '5, - : 6'))
    """

    def write(names: tuple[str, ...], end: End) -> str:
        alone = _alone(end)
        one = notation.pattern if notation else _element(end)
        more = one_or_more(rf"(?:{'|'.join(_separators(end))})(?>-|{one}|)")
        return alone.of(rf"(?P<{names[0]}>{one}){alone.check}", rf"(?P<{names[1]}>(?:-|{one}){more}){end.close}")

    return Shape(write, notation=notation)


def mark(pattern: str, *, fixed: bool = True) -> Shape:
    """Give the shape of text that is always there, and has a form.

    Args:
        pattern: source of it.
        fixed: whether it is as long in every line.

    >>> mark("[p.]").write(("pipe",), End(close="[ ]", stop=" "))
    '(?P<pipe>[p.])[ ]'
    """

    def write(names: tuple[str, ...], end: End) -> str:
        return f"(?P<{names[0]}>{pattern}){end.close}"

    return Shape(write, form=pattern, fixed=fixed)


def typed(notation: Notation, *, fixed: bool = False, always: bool = False) -> Shape:
    """Give the shape of what is no text.

    Args:
        notation: how it is written.
        fixed: whether a value is as long as any other, so that something else may follow at once.
        always: whether it is there in every line.

    >>> from urisect.logs.formats.notation import NUMBER
    >>> typed(NUMBER).write(("bytes",), End(close="[ ]", stop=" "))
    '(?:-|(?P<bytes>[0-9]{1,18}))[ ]'
    """

    def write(names: tuple[str, ...], end: End) -> str:
        value = f"(?P<{names[0]}>{notation.pattern})"
        return f"{value}{end.close}" if always else f"(?:{end.absent}|{value}){end.close}"

    return Shape(write, form=notation.pattern, notation=notation, fixed=fixed, slashless="/" not in notation.pattern)


TARGETS = tuple(f"target_{name}" for name in Reference._fields)
REQUESTS = ("method", *TARGETS, "protocol", "request")
REFERERS = tuple(f"referer_{name}" for name in Reference._fields)

WORD = Shape(_word, slashless=True)  # which is always there, and holds no space
NAME = Shape(_name, slashless=True)  # which holds no space
HOST = Shape(_host, slashless=True)  # which holds no space, and may be empty
VERSION = Shape(_name, form=r"[A-Z]{1,16}/[0-9.]{1,16}")
TEXT = Shape(_text)
USER = Shape(_user)
LIST = Shape(_list)
PATH = Shape(_text, rooted=True)
QUERY = Shape(_query)  # without its "?": empty if there is none
REQUEST = Shape(_request, whole="request")
TARGET = Shape(_uri("target_"), rooted=True, whole="target")
REFERER = Shape(_uri("referer_"), whole="referer")


def unescaped(text: str) -> str:
    r"""Read the escapes of a configuration: a backslash before a quote, another backslash, "t", "n" or "r".

    >>> print(unescaped(r'\"%r\" \x'))
    "%r" \x
    """
    return re.sub(r"""\\([\\"'tnr])""", lambda found: ESCAPES.get(found[1], found[1]), text)


ESCAPES = {"t": "\t", "n": "\n", "r": "\r"}


def literal(text: str) -> str:
    r"""Write the source of a text, which a log has in UTF-8.

    Raises:
        ValueError: it is of more than one line, or no Unicode.

    >>> literal(' "é')
    '\\x20\\x22\\xc3\\xa9'
    """
    return _source(_octets(text))


def _octets(text: str) -> str:
    """Write a text as the bytes that it has in a log, each as the character of its number."""
    if "\n" in text or "\r" in text:
        raise ValueError("an entry of this format has several lines, and a log is read line by line")
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _source(octets: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", lambda found: escape_code_point(ord(found[0])), octets)


# What a column cannot be called, for a format gives it another sense.
HIDDEN = {"rejected", "directive", "target", "referer", "reference"} | {
    f"{uri}{part}" for uri in ("target_", "referer_") for part in ("text", *PARTS)
}


def reserved(directives: Mapping[str, Directive]) -> frozenset[str]:
    """Give the names that a column of another kind must not have.

    Args:
        directives: all that a server has.

    >>> sorted(reserved({"%b": Directive(("bytes", "size"), "the size", TEXT)}) & {"bytes", "size", "target", "foo"})
    ['bytes', 'size', 'target']
    """
    return frozenset(COLUMNS).union(HIDDEN, *(directive.columns for directive in directives.values()))


def owned(directive: Directive, argument: str, taken: frozenset[str]) -> tuple[str, ...]:
    """Give the names of the columns of a directive with a name between its braces.

    Args:
        directive: one whose columns have a "*" for it.
        argument: the name.
        taken: what these columns are not called: "other_" is put before it.

    >>> owned(Directive(("sent_*",), "a header field of the response", TEXT), "X-Cache", frozenset())
    ('sent_x_cache',)
    """
    own = re.sub(r"[^0-9a-z]+", "_", argument.lower()).strip("_")
    names = (column.replace("*", own) for column in directive.columns)
    return tuple(name if name.isidentifier() and name not in taken else f"other_{name}" for name in names)


def together(parts: Iterable[str | Field], shapes: tuple[Shape, ...], shape: Shape) -> Iterator[str | Field]:
    """Make one field of fields that stand side by side; it has the columns of the first and of the last.

    Args:
        parts: of a format, none empty.
        shapes: of these fields, in their order.
        shape: of the field that they make.

    >>> [field] = together([Field("%U", ("path",), PATH), Field("%q", ("query",), TEXT)], (PATH, TEXT), WORD)
    >>> field.written, field.columns
    ('%U%q', ('path', 'query'))
    """
    parts = list(parts)
    index = 0
    while index < len(parts):
        fields = [part for part in parts[index : index + len(shapes)] if isinstance(part, Field)]
        if tuple(field.shape for field in fields) == shapes:
            yield Field("".join(field.written for field in fields), fields[0].columns + fields[-1].columns, shape)
            index += len(shapes)
        else:
            yield parts[index]
            index += 1


def compiled(name: str, parts: Iterable[str | Field], *, absent: str = "-", escaped: bool = True) -> PatternFormat:
    """Make a format of directives and the text between them.

    Args:
        name: what the format is called.
        parts: in the order of the line.
        absent: what the server writes for a value that there is not.
        escaped: whether it writes a backslash before, or something else for, a quote or a backslash in a value.

    Raises:
        ValueError: there is no directive, nothing tells where one ends, or an entry has several lines.

    >>> format = compiled("sizes", [Field("%h", ("client",), WORD), " ", Field("%f", ("file",), TEXT)])
    >>> format.columns, format.expression.match(b"192.0.2.7 /srv/a b").groups()
    (('client', 'file'), (b'192.0.2.7', b'/srv/a b', None))
    """
    pieces = _named(_joined(parts))
    if not any(isinstance(piece, Field) for piece in pieces):
        raise ValueError("the format has no directive, so that there is nothing to read")
    line = BOM + "".join(_sources(pieces, absent, escaped=escaped))
    fields = [piece for piece in pieces if isinstance(piece, Field)]
    names = {column for field in fields for column in field.columns}
    return PatternFormat(
        name,
        line,
        uris=tuple(uri for uri in ("target_", "referer_") if f"{uri}path" in names),
        notations={field.columns[0]: field.shape.notation for field in fields if field.shape.notation},
    )


def _joined(parts: Iterable[str | Field]) -> Iterator[str | Field]:
    """Put texts that stand side by side together."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield _octets(text)
        yield part
        text = ""
    if text:
        yield _octets(text)


def _named(pieces: Iterable[str | Field]) -> list[str | Field]:
    """Number the names that occur more than once; the columns of a request line and of a URI have the first choice."""
    pieces = list(pieces)
    names = _Names(HIDDEN)
    for index, piece in enumerate(pieces):
        if isinstance(piece, Field) and piece.shape.whole:
            if names.isdisjoint(piece.columns):
                names.update(piece.columns)
            else:
                pieces[index] = piece._replace(columns=(piece.shape.whole,), shape=PATH if piece.shape.rooted else TEXT)
    return [
        piece._replace(columns=tuple(map(names.new, piece.columns)))
        if isinstance(piece, Field) and not piece.shape.whole
        else piece
        for piece in pieces
    ]


class _Names(set[str]):
    """The names that are taken."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._numbers: dict[str, Iterator[int]] = {}

    def new(self, name: str) -> str:
        """Take a name, with a number if it is taken."""
        numbers = self._numbers.setdefault(name, count(2))
        wanted = name
        while wanted in self:
            wanted = f"{name}_{next(numbers)}"
        self.add(wanted)
        return wanted


def _sources(pieces: Sequence[str | Field], absent: str, *, escaped: bool) -> Iterator[str]:
    """Write the source of each field, with the text behind it."""
    quotes = 0
    for index, piece in enumerate(pieces):
        if isinstance(piece, Field):
            end = _end(piece, pieces[index + 1 : index + 4], absent, quoted=escaped and quotes % 2 == 1)
            yield piece.shape.write(piece.columns, end._replace(first=index == 0))
        else:
            quotes += piece.count('"')
            if index == 0:
                yield _source(piece)


def _end(field: Field, following: Sequence[str | Field], absent: str, *, quoted: bool) -> End:
    """Tell where a field ends, of what follows it: text, the next field, and the text behind that."""
    if not following:
        return End(END_OF_LINE, "\n", check=END_OF_LINE, absent=absent, quoted=quoted)
    behind, *rest = following
    if isinstance(behind, Field):
        if field.shape.fixed:
            return End("", "\n", absent=absent, quoted=quoted)
        if field.shape.slashless and behind.shape.rooted:
            return End("(?=/)", "/", check="(?=/)", absent=absent, quoted=quoted)
        raise ValueError(f"nothing tells where {field.written} ends, for {behind.written} follows at once")
    if behind[0] in digits and field.shape.notation and not field.shape.fixed:
        raise ValueError(f"nothing tells where {field.written} ends, for the digit {behind[0]!r} follows at once")
    close = _source(behind)
    again = "" if quoted and behind[0] == '"' else _source(behind[1:]) or _beginning(rest, absent)
    check = f"{close}(?={again})" if again and len(behind) == 1 else close
    return End(close, behind[0], again, check, absent, quoted)


def _beginning(pieces: Sequence[str | Field], absent: str) -> str:
    """Write the source of what begins with a field, if its values have a form of their own, or of the end."""
    if not pieces:
        return END_OF_LINE
    field, *rest = pieces
    form = field.shape.form if isinstance(field, Field) else ""
    behind = "".join(_source(piece) for piece in rest[:1] if isinstance(piece, str)) if rest else END_OF_LINE
    return form and f"(?:{absent}|{form}){behind}"
