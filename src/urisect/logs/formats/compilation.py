"""Compile a format string, given as directives and the text between them, to one regular expression."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from string import digits

from urisect.logs.formats.directives import HIDDEN_NAMES, DirectiveField
from urisect.logs.formats.field_patterns import PATH_FIELD, TARGET_FIELD, TARGET_OF_METHOD_FIELD, TEXT_FIELD
from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.layout import LineLayout, make_layout
from urisect.logs.formats.literals import encode_literal, escape_literal
from urisect.logs.formats.request import OPTIONAL_BOM
from urisect.logs.formats.terminators import END_OF_LINE, Terminator

__all__ = ["UniqueNames", "compile_format", "with_strict_beginning"]


def compile_format(
    name: str, parts: Iterable[str | DirectiveField], *, absent: str = "-", is_escaped: bool = True
) -> PatternFormat:
    """Return the format of lines made of directives and the text between them.

    Args:
        name: the name of the format.
        parts: directives and text, in the order of the line.
        absent: the text that the server writes for an undefined value.
        is_escaped: whether the server escapes quotes and backslashes in values.

    Raises:
        ValueError: there is no directive, the end of a field is unknown, or an entry has several lines.

    >>> from urisect.logs.formats.field_patterns import WORD_FIELD
    >>> client, file = DirectiveField("%h", ("client",), WORD_FIELD), DirectiveField("%f", ("file",), TEXT_FIELD)
    >>> format = compile_format("sizes", [client, " ", file])
    >>> format.columns, format.expression.match(b"192.0.2.7 /srv/a b").groups()
    (('client', 'file'), (b'192.0.2.7', b'/srv/a b', None))
    """
    pieces = _with_unique_names(_with_target_of_method(_merge_text(parts)))
    fields = [piece for piece in pieces if isinstance(piece, DirectiveField)]
    if not fields:
        raise ValueError("the format has no directive, so there is nothing to parse")
    line = OPTIONAL_BOM + "".join(_sources(pieces, absent, is_escaped=is_escaped))
    names = {column for field in fields for column in field.columns}
    return PatternFormat(
        name,
        line,
        uris=tuple(uri for uri in ("target_", "referer_") if f"{uri}path" in names),
        notations={field.columns[0]: field.field_pattern.notation for field in fields if field.field_pattern.notation},
        layout=_layout(pieces, line) if absent == "-" and is_escaped else None,
    )


def with_strict_beginning(format: PatternFormat, beginning: str, *, covers_regular: bool = False) -> PatternFormat:
    """Return the format with a strict form whose lines also begin with an expression.

    Args:
        format: the format.
        beginning: source of what the line begins with, after a byte order mark.
        covers_regular: whether all regular lines begin so.

    >>> from urisect.logs import COMMON
    >>> local = with_strict_beginning(COMMON, "127[.]")
    >>> local.strict.expression.match(COMMON.sample)["rejected"].split()[0]
    b'192.0.2.7'
    """
    return replace(
        format,
        strict_line=f"(?={OPTIONAL_BOM}{beginning}){format.strict.line}",
        strict_layout=format.layout if covers_regular else None,
    )


def _merge_text(parts: Iterable[str | DirectiveField]) -> Iterator[str | DirectiveField]:
    """Join adjacent texts, and encode them."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield encode_literal(text)
        yield part
        text = ""
    if text:
        yield encode_literal(text)


def _with_target_of_method(pieces: Iterable[str | DirectiveField]) -> list[str | DirectiveField]:
    """Let a target in a line with its method be split as in a request line (RFC 9112, 3.2)."""
    pieces = list(pieces)
    if not any(isinstance(piece, DirectiveField) and piece.columns == ("method",) for piece in pieces):
        return pieces
    return [
        piece._replace(field_pattern=TARGET_OF_METHOD_FIELD)
        if isinstance(piece, DirectiveField) and piece.field_pattern is TARGET_FIELD
        else piece
        for piece in pieces
    ]


def _with_unique_names(pieces: Iterable[str | DirectiveField]) -> list[str | DirectiveField]:
    """Number duplicate names of columns; the columns of request lines and URIs come first."""
    pieces = list(pieces)
    names = UniqueNames(HIDDEN_NAMES)
    for index, piece in enumerate(pieces):
        if isinstance(piece, DirectiveField) and (fallback := piece.field_pattern.fallback_column):
            if names.isdisjoint(piece.columns):
                names.update(piece.columns)
            else:
                pattern = PATH_FIELD if piece.field_pattern.begins_with_slash else TEXT_FIELD
                pieces[index] = piece._replace(columns=(fallback,), field_pattern=pattern)
    return [
        piece._replace(columns=tuple(map(names.add_unique, piece.columns)))
        if isinstance(piece, DirectiveField) and not piece.field_pattern.fallback_column
        else piece
        for piece in pieces
    ]


class UniqueNames(set[str]):
    """The names that are already used.

    >>> names = UniqueNames(["time"])
    >>> names.add_unique("time"), names.add_unique("status")
    ('time_2', 'status')
    """

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._numbers: dict[str, Iterator[int]] = {}

    def add_unique(self, name: str) -> str:
        """Add a name, numbered if it is already used, and return it."""
        numbers = self._numbers.setdefault(name, count(2))
        unique = name
        while unique in self:
            unique = f"{name}_{next(numbers)}"
        self.add(unique)
        return unique


def _sources(pieces: Sequence[str | DirectiveField], absent: str, *, is_escaped: bool) -> Iterator[str]:
    """Yield the source of each field, with the text after it."""
    quotes = 0
    for index, piece in enumerate(pieces):
        if isinstance(piece, DirectiveField):
            is_quoted = is_escaped and quotes % 2 == 1
            end = _terminator(piece, pieces[index + 1 : index + 4], absent, is_quoted=is_quoted)
            end = end._replace(is_first=index == 0, marker=f"{IMPLAUSIBLE}_{index}")
            yield piece.field_pattern.source(piece.columns, end)
        else:
            quotes += piece.count('"')
            if index == 0:
                yield escape_literal(piece)


def _layout(pieces: Sequence[str | DirectiveField], line: str) -> LineLayout | None:
    return make_layout(
        [piece if isinstance(piece, str) else (piece.columns, piece.field_pattern.regular) for piece in pieces],
        line,
    )


def _terminator(
    field: DirectiveField, following: Sequence[str | DirectiveField], absent: str, *, is_quoted: bool
) -> Terminator:
    """Return the terminator of a field, given what follows it: text, the next field, and the text after that."""
    if not following:
        return Terminator(END_OF_LINE, "\n", confirmed=END_OF_LINE, absent=absent, is_quoted=is_quoted)
    after, *rest = following
    pattern = field.field_pattern
    if isinstance(after, DirectiveField):
        if pattern.is_self_delimiting:
            return Terminator("", "\n", absent=absent, is_quoted=is_quoted)
        if pattern.has_no_slash and after.field_pattern.begins_with_slash:
            return Terminator("(?=/)", "/", confirmed="(?=/)", absent=absent, is_quoted=is_quoted)
        raise ValueError(f"cannot tell where {field.text} ends: {after.text} follows at once; put text between them")
    if after[0] in digits and pattern.notation and not pattern.is_self_delimiting:
        raise ValueError(
            f"cannot tell where {field.text} ends: the digit {after[0]!r} follows at once; put other text between them"
        )
    close = escape_literal(after)
    is_bare_quote = is_quoted and after[0] == '"'
    lookahead = "" if is_bare_quote else escape_literal(after[1:]) or _beginning(rest, absent)
    confirmed = f"{close}(?={lookahead})" if lookahead and len(after) == 1 else close
    return Terminator(close, after[0], lookahead, confirmed, absent, is_quoted)


def _beginning(pieces: Sequence[str | DirectiveField], absent: str) -> str:
    """Return the source of the next field and the text after it, if its values have a form of their own; or the end."""
    if not pieces:
        return END_OF_LINE
    field, *rest = pieces
    form = field.field_pattern.form if isinstance(field, DirectiveField) else ""
    after = "".join(escape_literal(piece) for piece in rest[:1] if isinstance(piece, str)) if rest else END_OF_LINE
    return form and f"(?:{absent}|{form}){after}"
