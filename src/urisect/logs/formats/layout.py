r"""Describe the lines of a format as fields and the text between them, to find all fields of a block at once.

Most lines of a log are regular: the first delimiter behind each field ends it, and the values have their usual form. In
such a line the delimiters alone say where each field is. `urisect.logs.columnar` parses regular lines by their layout,
and all others by the expression of the format, with the same result.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple

__all__ = ["FieldKind", "LayoutField", "LineLayout", "RegularForm", "make_layout"]


class FieldKind(Enum):
    """What a field of a regular line is.

    >>> FieldKind.ADDRESS.name
    'ADDRESS'
    """

    ADDRESS = auto()  # a client or a server, by address or name
    WORD = auto()  # text; outside of quotes, without spaces
    TEXT = auto()  # any text
    LIST = auto()  # text in quotes; else one value of a list
    NUMBER = auto()  # digits
    DECIMAL = auto()  # digits, and maybe a fraction
    LOG_TIME = auto()  # 10/Nov/1996:13:55:36 -0700
    ISO_TIME = auto()  # 1996-11-10T13:55:36-07:00
    EPOCH_TIME = auto()  # 847659336.123
    REQUEST = auto()  # method, target in origin-form, and protocol
    TARGET = auto()  # a target in origin-form
    REFERENCE = auto()  # a URI reference


class RegularForm(NamedTuple):
    """The form of a field in regular lines.

    Attributes:
        kind: what the field is.
        is_optional: whether "-" stands for an undefined value.
        pattern: source of an expression that every defined value matches; empty if `kind` says it all.
        min_digits: the fewest digits of a number.
        max_digits: the most digits of a number.
        is_null_zero: whether the number 0 stands for an undefined value.
        may_be_empty: whether the text may be empty.
        is_single: whether a list of values may be in place of one, as nginx writes several upstream servers. Then the
            line is not regular.
        divisor: by what a decimal number is divided.
    """

    kind: FieldKind
    is_optional: bool = True
    pattern: str = ""
    min_digits: int = 1
    max_digits: int = 16
    is_null_zero: bool = False
    may_be_empty: bool = False
    is_single: bool = False
    divisor: int = 1


_LIST_IN_QUOTES = RegularForm(FieldKind.TEXT, may_be_empty=True)
_VALUE_OF_LIST = RegularForm(FieldKind.WORD, is_single=True)

# The kinds of text that may contain any character but the one that ends it.
_ANY_TEXT = {FieldKind.TEXT, FieldKind.REFERENCE}


class LayoutField(NamedTuple):
    """A field of a layout.

    Attributes:
        columns: the names of its columns.
        form: its form.
        is_quoted: whether it is in quotes.
        after: the text between it and the next field, or the end of the line.
    """

    columns: tuple[str, ...]
    form: RegularForm
    is_quoted: bool
    after: str

    @property
    def has_spaces(self) -> bool:
        """Whether it may contain spaces.

        >>> LayoutField(("agent",), RegularForm(FieldKind.WORD), is_quoted=True, after='"').has_spaces
        True
        """
        return (self.is_quoted and not self.form.is_single) or self.form.kind in _ANY_TEXT


class LineLayout(NamedTuple):
    r"""The fields of the regular lines of a format.

    Attributes:
        before: the text before the first field.
        fields: the fields, in the order of the line.
        line: source of the expression of a line that this layout is for.
        excluded: characters that no regular line contains.
    """

    before: str
    fields: tuple[LayoutField, ...]
    line: str
    excluded: str = "\\"

    @property
    def delimiters(self) -> str:
        """The characters that end fields, and the space.

        >>> text = RegularForm(FieldKind.TEXT)
        >>> make_layout([(("agent",), text), "|", (("file",), text)], "").delimiters
        ' |'
        """
        return "".join(dict.fromkeys([" ", *(field.after[:1] for field in self.fields)]))

    def followed_by(self, column: str, form: RegularForm, line: str, *, quote: str = "") -> "LineLayout":
        """Return the layout of lines that have one more field, after a space.

        Args:
            column: the column of the new field.
            form: the form of the new field.
            line: source of the expression of such a line.
            quote: the quote around the new field, if it is in quotes.

        >>> text = RegularForm(FieldKind.TEXT)
        >>> layout = make_layout([(("agent",), text)], "").followed_by("cookie", text, "", quote='"')
        >>> [field.after for field in layout.fields]
        [' "', '"']
        """
        *others, last = self.fields
        last = last._replace(after=f"{last.after} {quote}")
        return self._replace(fields=(*others, last, LayoutField((column,), form, quote != "", quote)), line=line)

    def with_form(self, column: str, form: RegularForm) -> "LineLayout":
        """Return a layout with another form of a field.

        Args:
            column: the first column of the field.
            form: its form.

        >>> layout = make_layout([(("agent",), RegularForm(FieldKind.TEXT))], "")
        >>> layout.with_form("agent", RegularForm(FieldKind.WORD)).fields[0].form.kind.name
        'WORD'
        """
        fields = (field._replace(form=form) if field.columns[0] == column else field for field in self.fields)
        return self._replace(fields=tuple(fields))


# Characters at the beginning of a line that a first field without a form of its own may contain: a byte order mark is
# no part of it, and NUL is never in it.
_UNCERTAIN_BEGINNINGS = "\0\xef"


def make_layout(pieces: Sequence[str | tuple[tuple[str, ...], RegularForm | None]], line: str) -> LineLayout | None:
    """Return the layout of a format; None if delimiters alone do not say where its fields are.

    Args:
        pieces: fields, as the names of their columns and their form, and the text between them.
        line: source of the expression of a line.

    >>> word = RegularForm(FieldKind.WORD)
    >>> make_layout([(("client",), word), ' "', (("agent",), word), '"'], "").fields[1].is_quoted
    True
    >>> make_layout([(("server",), word), (("file",), word)], "")
    """
    before = pieces[0] if isinstance(pieces[0], str) else ""
    fields: list[LayoutField] = []
    quotes = before.count('"')
    last = before
    rest = pieces[1:] if before else pieces
    for index in range(0, len(rest), 2):
        piece, after = rest[index], rest[index + 1] if index + 1 < len(rest) else ""
        if isinstance(piece, str) or not isinstance(after, str) or after[:1].isalnum() or after[:1] == "-":
            return None  # nothing delimits the field, or only a character that may be part of a value, or all of it
        columns, form = piece
        is_quoted = quotes % 2 == 1
        if is_quoted and not (last.endswith('"') and after.startswith('"')):
            return None
        if form is None or (form.kind is FieldKind.REQUEST and not is_quoted):  # a request contains spaces
            return None
        # An expression may go over a delimiter that is not meant to be in a value, and so find it implausible.
        if form.pattern and after[:1] not in ("", " ", '"', ":" if form.kind is FieldKind.ADDRESS else ""):
            return None
        if form.kind is FieldKind.LIST:
            form = _LIST_IN_QUOTES if is_quoted else _VALUE_OF_LIST
        fields.append(LayoutField(columns, form, is_quoted, after))
        quotes += after.count('"')
        last = after
    if quotes % 2 == 1:
        return None
    layout = LineLayout(before, tuple(fields), line)
    has_form = before or fields[0].form.kind not in {FieldKind.WORD, FieldKind.TARGET, *_ANY_TEXT}
    return layout if has_form else layout._replace(excluded=layout.excluded + _UNCERTAIN_BEGINNINGS)
