"""The patterns of the values that directives write: words, text, numbers, lists, request lines and URIs."""

from collections.abc import Callable
from typing import NamedTuple

from urisect.bulk import pattern
from urisect.character_ranges import escape_code_point
from urisect.logs.formats.layout import FieldKind, RegularForm
from urisect.logs.formats.literals import literal_pattern
from urisect.logs.formats.notation import (
    EPOCH_SECONDS,
    ISO_TIME,
    LOG_TIME,
    MICROSECONDS,
    MILLISECONDS,
    NUMBER,
    PORT,
    SECONDS,
    STATUS,
    STATUS_OR_NONE,
    Notation,
)
from urisect.logs.formats.plausibility import CLIENT, IDENTITY, QUALIFIED_SERVER, SERVER, USER
from urisect.logs.formats.request import (
    PROTOCOL_PATTERN,
    request_line_pattern,
    target_components,
    target_pattern,
)
from urisect.logs.formats.terminators import Terminator
from urisect.reference import Reference
from urisect.repetition import one_or_more, zero_or_more

__all__ = [
    "CLIENT_FIELD",
    "HOST_FIELD",
    "IDENTITY_FIELD",
    "LIST_FIELD",
    "NAME_FIELD",
    "PATH_FIELD",
    "QUERY_FIELD",
    "REFERER_COLUMNS",
    "REFERER_FIELD",
    "REQUEST_COLUMNS",
    "REQUEST_FIELD",
    "SERVER_FIELD",
    "TARGET_COLUMNS",
    "TARGET_FIELD",
    "TARGET_OF_METHOD_FIELD",
    "TEXT_FIELD",
    "USER_FIELD",
    "VERSION_FIELD",
    "WORD_FIELD",
    "FieldPattern",
    "fixed_form",
    "multi_valued",
    "path_and_query",
    "typed_field",
]


class FieldPattern(NamedTuple):
    r"""How the values of a directive look.

    Attributes:
        source: returns the source of a field, given the names of its columns and its terminator, which is included.
        form: source of the form that all values have; empty if they may be any text.
        notation: how the values of the first column are written, if they are not text.
        is_self_delimiting: whether a value shows where it ends.
        begins_with_slash: whether values begin with "/", and so end a value that contains none.
        has_no_slash: whether a value never contains "/".
        fallback_column: the column for the whole text, if the names of the columns of its parts clash.
        regular: the form of the values in regular lines; None if no line with such a field is regular.

    >>> import re
    >>> source = TEXT_FIELD.source(("agent",), Terminator('"', stop='"', confirmed='"', is_quoted=True))
    >>> re.match(source, r'Lynx \"2.6\"" more')["agent"]
    'Lynx \\"2.6\\"'
    """

    source: Callable[[tuple[str, ...], Terminator], str]
    form: str = ""
    notation: Notation | None = None
    is_self_delimiting: bool = False
    begins_with_slash: bool = False
    has_no_slash: bool = False
    fallback_column: str = ""
    regular: RegularForm | None = None


def _word(names: tuple[str, ...], end: Terminator) -> str:
    return rf"(?P<{names[0]}>{end.text(_stop_at_space(end), non_empty=True)}){end.pattern}"


def _name(names: tuple[str, ...], end: Terminator) -> str:
    return end.field(_word(names, end))


def _host(names: tuple[str, ...], end: Terminator) -> str:
    return end.field(rf"(?P<{names[0]}>{end.text(_stop_at_space(end))}){end.pattern}")


def _stop_at_space(end: Terminator) -> dict[str, str]:
    return {} if end.is_bare_quote else {" ": ""}


def _text(names: tuple[str, ...], end: Terminator) -> str:
    return end.field(rf"(?P<{names[0]}>{end.text()}){end.pattern}")


def _user_text(end: Terminator) -> str:
    non_empty = "" if end.is_quoted else f"(?!{escape_code_point(ord(end.stop))})"
    return non_empty + end.text()


def _client(names: tuple[str, ...], end: Terminator) -> str:
    return rf"(?P<{names[0]}>{_marked(CLIENT, end.text(_stop_at_space(end), non_empty=True), end)}){end.pattern}"


def _identity(names: tuple[str, ...], end: Terminator) -> str:
    text = end.text(_stop_at_space(end), non_empty=True)
    return end.field(rf"(?P<{names[0]}>{_marked(IDENTITY, text, end)}){end.pattern}")


def _server(names: tuple[str, ...], end: Terminator) -> str:
    return end.field(rf"(?P<{names[0]}>{_marked(SERVER, end.text(_stop_at_space(end)), end)}){end.pattern}")


def _user(names: tuple[str, ...], end: Terminator) -> str:
    return end.field(rf"(?P<{names[0]}>{_marked(USER, _user_text(end), end)}){end.pattern}")


def _marked(plausible: str, text: str, end: Terminator) -> str:
    """Return the source of any text of a field; an implausible one is also in the group of the terminator's marker."""
    return rf"(?:{plausible}(?={end.confirmed})|(?P<{end.marker}>{text}))"


def _request(_: tuple[str, ...], end: Terminator) -> str:
    protocol = rf"{PROTOCOL_PATTERN}{end.pattern}"
    after_space = protocol if end.stop != " " else f"{protocol}|{end.lookahead}" if end.lookahead else ""
    line = request_line_pattern(target_pattern(f" {end.excluded}\n", end.text({" ": after_space})))
    return end.field(rf"{line}{end.confirmed}", rf"(?P<request>{end.text()}){end.pattern}")


def _uri(prefix: str) -> Callable[[tuple[str, ...], Terminator], str]:
    def source(_: tuple[str, ...], end: Terminator) -> str:
        uri = pattern(prefix, stop=f"{end.excluded}\n")
        return end.field(rf"{uri}{end.confirmed}", rf"(?P<{prefix}text>{end.text()}){end.pattern}")

    return source


def _target(_: tuple[str, ...], end: Terminator) -> str:
    uri = target_components(f"{end.excluded}\n")
    return end.field(rf"{uri}{end.confirmed}", rf"(?P<target_text>{end.text()}){end.pattern}")


def _query(names: tuple[str, ...], end: Terminator) -> str:
    return end.field(end.confirmed, rf"(?P<{names[0]}>{end.text()}){end.pattern}")


def path_and_query(*, hyphen: bool) -> FieldPattern:
    """Return the pattern of a path followed by the query, with "?" between them if there is a query.

    Args:
        hyphen: whether an undefined query is written as "-", rather than as nothing.

    >>> import re
    >>> end = Terminator(pattern="[ ]", stop=" ", confirmed="[ ]")
    >>> re.match(path_and_query(hyphen=True).source(("path", "query"), end), "/a-b- ").groups()
    ('/a-b', None)
    """

    def source(names: tuple[str, ...], end: Terminator) -> str:
        path = end.text({"?": "", **({"-": end.confirmed} if hyphen else {})})
        undefined = "|-" if hyphen else ""
        return end.field(rf"(?P<{names[0]}>{path})(?>\?(?P<{names[1]}>{end.text()}){undefined}|){end.pattern}")

    return FieldPattern(source, begins_with_slash=True)


# The separators of a list: ", ", and in nginx " : " before another group of servers, or before none.
SEPARATORS = (", ", " : ")


def _separators(end: Terminator) -> list[str]:
    patterns = map(literal_pattern, SEPARATORS)
    return [separator for separator in patterns if not end.pattern.startswith(separator)]


def _after_single_value(end: Terminator) -> Terminator:
    """Return the terminator of a value that is not the first one of a list."""
    return end._replace(confirmed=f"(?!{'|'.join(_separators(end))}){end.confirmed}")


def _list_value(end: Terminator) -> str:
    """Return the source of a value of a list: without spaces, up to a comma that ends the value or the list."""
    is_comma_end = end.stop == "," and len(_separators(end)) == len(SEPARATORS)
    return end.text({" ": "", ",": "" if is_comma_end else "[ ]"}, non_empty=True)


def _list(names: tuple[str, ...], end: Terminator) -> str:
    if end.stop not in {" ", ","}:
        return _text(names, end)
    value = _list_value(end)
    more = zero_or_more(rf"(?:{'|'.join(_separators(end))})(?>{value}|)")
    return _after_single_value(end).field(rf"(?P<{names[0]}>{value}{more}){end.pattern}")


def multi_valued(notation: Notation | None = None) -> FieldPattern:
    """Return the pattern of one value, or of a list of values, which is text and has the second column.

    Args:
        notation: how a value is written, if it is not text.

    >>> import re
    >>> from urisect.logs.formats.notation import NUMBER
    >>> end = Terminator(pattern="[ ]", stop=" ", confirmed="[ ]")
    >>> source = multi_valued(NUMBER).source(("size", "sizes"), end)
    >>> re.match(source, "5 ").groups(), re.match(source, "5, - : 6 ").groups()
    (('5', None), (None, '5, - : 6'))
    """

    def source(names: tuple[str, ...], end: Terminator) -> str:
        single = _after_single_value(end)
        value = notation.pattern if notation else _list_value(end)
        more = one_or_more(rf"(?:{'|'.join(_separators(end))})(?>-|{value}|)")
        return single.field(
            rf"(?P<{names[0]}>{value}){single.confirmed}", rf"(?P<{names[1]}>(?:-|{value}){more}){end.pattern}"
        )

    word = RegularForm(FieldKind.WORD)
    regular = word if notation is None else _regular_form(notation, is_optional=True)
    return FieldPattern(source, notation=notation, regular=regular and regular._replace(is_single=True))


def fixed_form(form: str, *, is_self_delimiting: bool = True) -> FieldPattern:
    """Return the pattern of text that is in every line, and has a form of its own.

    Args:
        form: source of the text.
        is_self_delimiting: whether the text has the same length in every line.

    >>> fixed_form("[p.]").source(("pipe",), Terminator(pattern="[ ]", stop=" "))
    '(?P<pipe>[p.])[ ]'
    """

    def source(names: tuple[str, ...], end: Terminator) -> str:
        return f"(?P<{names[0]}>{form}){end.pattern}"

    return FieldPattern(source, form=form, is_self_delimiting=is_self_delimiting)


def typed_field(notation: Notation, *, is_self_delimiting: bool = False, is_required: bool = False) -> FieldPattern:
    """Return the pattern of a number or a time.

    Args:
        notation: how it is written.
        is_self_delimiting: whether every value has the same length, so that anything may follow it.
        is_required: whether every line has a value.

    >>> from urisect.logs.formats.notation import NUMBER
    >>> typed_field(NUMBER).source(("bytes",), Terminator(pattern="[ ]", stop=" "))
    '(?:-|(?P<bytes>[0-9]{1,18}))[ ]'
    """

    def source(names: tuple[str, ...], end: Terminator) -> str:
        value = f"(?P<{names[0]}>{notation.pattern})"
        return f"{value}{end.pattern}" if is_required else f"(?:{end.absent}|{value}){end.pattern}"

    return FieldPattern(
        source,
        form=notation.pattern,
        notation=notation,
        is_self_delimiting=is_self_delimiting,
        has_no_slash="/" not in notation.pattern,
        regular=_regular_form(notation, is_optional=not is_required),
    )


# The forms of notations in regular lines.
_REGULAR_FORMS = {
    NUMBER: RegularForm(FieldKind.NUMBER),
    PORT: RegularForm(FieldKind.NUMBER, max_digits=5),
    STATUS: RegularForm(FieldKind.NUMBER, min_digits=3, max_digits=3),
    STATUS_OR_NONE: RegularForm(FieldKind.NUMBER, min_digits=3, max_digits=3, is_null_zero=True),
    SECONDS: RegularForm(FieldKind.DECIMAL),
    MILLISECONDS: RegularForm(FieldKind.DECIMAL, divisor=1_000),
    MICROSECONDS: RegularForm(FieldKind.DECIMAL, divisor=1_000_000),
    LOG_TIME: RegularForm(FieldKind.LOG_TIME),
    ISO_TIME: RegularForm(FieldKind.ISO_TIME),
    EPOCH_SECONDS: RegularForm(FieldKind.EPOCH_TIME),
}


def _regular_form(notation: Notation, *, is_optional: bool) -> RegularForm | None:
    form = _REGULAR_FORMS.get(notation)
    return form and form._replace(is_optional=is_optional)


TARGET_COLUMNS = tuple(f"target_{name}" for name in Reference._fields)
REQUEST_COLUMNS = ("method", *TARGET_COLUMNS, "protocol", "request")
REFERER_COLUMNS = tuple(f"referer_{name}" for name in Reference._fields)

WORD_FIELD = FieldPattern(  # in every line, without spaces
    _word, has_no_slash=True, regular=RegularForm(FieldKind.WORD, is_optional=False)
)
NAME_FIELD = FieldPattern(_name, has_no_slash=True, regular=RegularForm(FieldKind.WORD))  # without spaces
HOST_FIELD = FieldPattern(  # without spaces, possibly empty
    _host, has_no_slash=True, regular=RegularForm(FieldKind.WORD, may_be_empty=True)
)
_VERSION = r"[A-Z]{1,16}/[0-9.]{1,16}"
VERSION_FIELD = FieldPattern(_name, form=_VERSION, regular=RegularForm(FieldKind.WORD, pattern=_VERSION))
TEXT_FIELD = FieldPattern(_text, regular=RegularForm(FieldKind.TEXT, may_be_empty=True))
CLIENT_FIELD = FieldPattern(
    _client, has_no_slash=True, regular=RegularForm(FieldKind.ADDRESS, is_optional=False, pattern=CLIENT)
)
IDENTITY_FIELD = FieldPattern(_identity, has_no_slash=True, regular=RegularForm(FieldKind.WORD, pattern=IDENTITY))
SERVER_FIELD = FieldPattern(
    _server, has_no_slash=True, regular=RegularForm(FieldKind.ADDRESS, pattern=f"(?={QUALIFIED_SERVER}){SERVER}")
)
USER_FIELD = FieldPattern(_user, regular=RegularForm(FieldKind.WORD, pattern=USER))
LIST_FIELD = FieldPattern(_list, regular=RegularForm(FieldKind.LIST))
PATH_FIELD = FieldPattern(_text, begins_with_slash=True)
QUERY_FIELD = FieldPattern(_query)  # without its "?"; empty if there is none
REQUEST_FIELD = FieldPattern(_request, fallback_column="request", regular=RegularForm(FieldKind.REQUEST))
TARGET_FIELD = FieldPattern(
    _uri("target_"), begins_with_slash=True, fallback_column="target", regular=RegularForm(FieldKind.TARGET)
)
TARGET_OF_METHOD_FIELD = TARGET_FIELD._replace(source=_target)  # in a line with the method
REFERER_FIELD = FieldPattern(
    _uri("referer_"), fallback_column="referer", regular=RegularForm(FieldKind.REFERENCE, may_be_empty=True)
)
