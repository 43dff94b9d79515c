r"""Find what is wrong with a text that is not a web address, and what was probably meant (RFC 3986, 3 and 7).

The text is cleaned and read from its beginning to its end, as a person reads it: what surrounds it, what it is if it is
no address at all, the scheme, the name of the website, the port, the rest. Each step reports problems, and notes how to
edit the text. The suggestion is the text after all edits, if each problem has one and the result is a web address.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from urisect.address import IPV4ADDRESS, is_ipv6address
from urisect.characters import ALPHA, DIGIT, ESCAPED, HEXDIG, PCHAR, SCHEME
from urisect.percent import encode, repair
from urisect.reference import split
from urisect.repetition import zero_or_more
from urisect.schemes import DEFAULT_PORTS, SCHEMES_WITHOUT_AUTHORITY
from urisect.security.characters import BIDIRECTIONAL, INVISIBLE
from urisect.suggestion import did_you_mean
from urisect.web.grammar import MAX_LABEL_LENGTH, MAX_NAME_LENGTH, MAX_PORT, matcher
from urisect.web.problems import Problem, Texts, make_message, quote

__all__ = ["MAX_PROBLEMS", "MAX_SUGGESTION_CHARACTERS", "diagnose"]

# More than these are of no use to a person.
MAX_PROBLEMS: Final = 20

# Longer texts were not typed. They get no suggestion, so that the result is small.
MAX_SUGGESTION_CHARACTERS: Final = 10_000

# Longer runs of characters are represented by their first one in messages.
_MAX_SHOWN_RUN: Final = 8
_MAX_SCHEME_CHARACTERS: Final = 20

_LINE_ENDS: Final = "\n\v\f\r\x85\u2028\u2029"
_IGNORABLE: Final = BIDIRECTIONAL[1:-3] + INVISIBLE[1:-3]
_CONTROLS: Final = r"\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"

_QUOTATION_MARKS: Final = '"`“”„‘’‚«»‹›'
_PAIRS: Final = {"<": ">", "(": ")", "[": "]", "{": "}", "'": "'"}
_OPENING: Final = f"{_QUOTATION_MARKS}<({{'"

# Characters that are typed, or put in by a keyboard, for others: full-width forms, full stops, dashes.
_LOOK_ALIKES: Final = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, "。｡․"), ord("."))
    | dict.fromkeys(map(ord, "‐‑‒–—―−"), ord("-"))
    | {ord("⁄"): ord("/"), ord("∕"): ord("/"), ord("∶"): ord(":")}
)

# A dot between letters or digits of any script, as in every public name.
_INNER_DOT: Final = r"[^\W_]\.[^\W_]"


@lru_cache(maxsize=64)
def _compiled(source: str) -> re.Pattern[str]:
    """Compile an expression on first use: `re` needs milliseconds for classes beyond Latin-1."""
    return re.compile(source)


def diagnose(text: str, schemes: tuple[str, ...]) -> list[Problem[str]]:
    """Find the problems of a text that is not a web address.

    Args:
        text: the text.
        schemes: the allowed schemes.

    Returns:
        At least one problem, and at most `MAX_PROBLEMS`, by offset. All have the same suggestion.

    >>> [problem.code for problem in diagnose("htp:/exa_mple.com/<", ("http",))]
    ['mistyped-scheme', 'slashes', 'name-character', 'character']
    """
    draft = _Draft(text, schemes)
    for step in _STEPS:
        if step(draft):
            break
    suggestion = draft.suggestion
    problems = [problem._replace(suggestion=suggestion) for problem in draft.problems]
    return sorted(problems, key=lambda problem: problem.offset)[:MAX_PROBLEMS]


class _Draft:
    """A text in correction: what is left of it, the problems found so far, and the edits to be made.

    Attributes:
        original: the text as it was typed.
        text: what is left of it.
        offsets: the offset in the original of each character of the text, and of its end.
        problems: the problems found, without a suggestion.
        is_clear: whether each problem has an edit.
        suggestion: the corrected text, or None.
    """

    def __init__(self, original: str, schemes: tuple[str, ...]) -> None:
        self.original = original
        self.schemes = {scheme.lower(): scheme.lower() for scheme in schemes}
        self.matches = matcher(schemes, str)
        self.texts = Texts.of(schemes)
        self.text = original
        self.offsets: Sequence[int] = range(len(original) + 1)
        self.problems: list[Problem[str]] = []
        self.is_clear = True
        self.scheme = self.texts.scheme  # the scheme that was typed or meant
        self.authority = 0  # where it begins
        self.tail = 0  # where the authority ends
        self._edits: list[tuple[int, int, str]] = []
        self._needs_dot = False
        self._replacement: str | None = None

    def report(self, code: str, start: int, end: int, found: str = "", better: str = "") -> None:
        """Report a problem of `text[start:end]`."""
        first = self.offsets[start]
        length = self.offsets[end - 1] + 1 - first if end > start else 0
        message = make_message(code, self.texts, found=found, better=better)
        self.problems.append(Problem(code, first, length, message, None))

    def report_unclear(self, code: str, start: int, end: int, found: str = "", better: str = "") -> None:
        """Report a problem for which no edit is known."""
        self.is_clear = False
        self.report(code, start, end, found, better)

    def report_only(self, code: str, suggestion: str | None = None) -> bool:
        """Report that the whole text is something else; nothing more is to be said."""
        self.problems.clear()
        self.is_clear = False
        self._replacement = suggestion
        self.report(code, 0, len(self.text))
        return True

    def edit(self, start: int, end: int, replacement: str, *, needs_dot: bool = False) -> None:
        """Note an edit of `text[start:end]`; it may be required that the name then has a dot."""
        self._edits.append((start, end, replacement))
        self._needs_dot |= needs_dot

    def keep(self, start: int, end: int) -> None:
        """Remove everything but `text[start:end]`."""
        self.text, self.offsets = self.text[start:end], self.offsets[start : end + 1]

    def remove(self, pattern: re.Pattern[str], end: int) -> None:
        """Remove all that an expression finds in `text[:end]`."""
        removed = {offset for found in pattern.finditer(self.text, 0, end) for offset in range(*found.span())}
        self.text = pattern.sub("", self.text[:end]) + self.text[end:]
        self.offsets = [offset for index, offset in enumerate(self.offsets) if index not in removed]

    @property
    def head(self) -> int:
        """Where the authority ends, roughly: the text may still have spaces, backslashes and look-alikes."""
        return _compiled(_HEAD).match(self.text.translate(_LOOK_ALIKES)).end()  # type: ignore[union-attr]  # it matches ""

    @property
    def suggestion(self) -> str | None:
        if self._replacement is not None or not self.is_clear or len(self.original) > MAX_SUGGESTION_CHARACTERS:
            return self._replacement
        pieces: list[str] = []
        position = 0
        for start, end, replacement in sorted(self._edits):
            pieces += self.text[position:start], replacement
            position = end
        text = "".join((*pieces, self.text[position:]))
        if not self.matches(text) or (self._needs_dot and not _compiled(_INNER_DOT).search(str(split(text).host))):
            return None
        return text


# A scheme with its delimiter, however it was typed, and everything up to the path.
_HEAD: Final = rf"(?>[{ALPHA}]{{0,7}}+[\s:;.,]*+[/\\][\s/\\]*+|)[^/\\?#]*+"

# What surrounds the text.


def _strip(draft: _Draft) -> bool:
    """Remove spaces, quotation marks and brackets around the text."""
    text = draft.text
    outer = rf"\s{_CONTROLS}{_IGNORABLE}"
    start = _compiled(rf"(?>(?:[{outer}{_OPENING}]++|\[(?![{HEXDIG}:.]*+\]))*)").match(text).end()  # type: ignore[union-attr]
    opened = text[:start]
    if start == len(text):
        return draft.report_only("not-an-address" if re.search(rf"[{_OPENING}[]", text) else "empty")
    end = _find_end(text, start, outer)
    for code, characters in (("outer-space", r"\s"), ("invisible-character", _CONTROLS + _IGNORABLE)):
        search = _compiled(f"[{characters}]+").search
        before, after = search(text[:start]), search(text[end:])
        where = "before and after" if before and after else "before" if before else "after"
        if before:
            draft.report(code, *before.span(), found=where)
        elif after:
            draft.report(code, end + after.start(), end + after.end(), found=where)
    quotes = _compiled(rf"[^\s{_CONTROLS}{_IGNORABLE}]").search
    if found := quotes(opened) or quotes(text, end):
        draft.report("quotes", *found.span())
    draft.keep(start, end)
    return False


def _find_end(text: str, start: int, outer: str) -> int:
    """Return where the text inside spaces, quotation marks and brackets ends, given where it starts."""
    has_opening = re.search(f"[{_OPENING}[]", text[:start])
    if has_opening:
        closing = "".join(closed for opening, closed in _PAIRS.items() if opening in text[:start]) + _QUOTATION_MARKS
    else:
        closing = f">{_QUOTATION_MARKS}"  # what is left over at the end
    length = len(_compiled(rf"[{outer}{re.escape(closing)}]*+").match(text[: -len(text) + start - 1 : -1])[0])  # type: ignore[index]
    end = len(text) - length
    if not has_opening and re.search(f"[<>{_QUOTATION_MARKS}]", text[start:end]):
        end = len(text) - len(_compiled(f"[{outer}]*+").match(text[::-1])[0])  # type: ignore[index]
    return end


def _clean(draft: _Draft) -> bool:
    """Remove line ends and invisible characters inside the text."""
    two = islice(_compiled(rf"(?i)(?<!\S)(?:[{ALPHA}]++://|www\.)\w").finditer(draft.text), 2)
    if len(list(two)) > 1:
        return draft.report_only("several-addresses")
    reported = {problem.code for problem in draft.problems}
    for code, expression in (
        ("line-end", f"[{_LINE_ENDS}]+"),
        # After a character beyond ASCII, such as an emoji, invisible ones may be a part of it.
        ("invisible-character", rf"(?<![^\0-\x7f])[\t\x1c-\x1f{_CONTROLS}{_IGNORABLE}]+"),
    ):
        pattern = _compiled(expression)
        if found := pattern.search(draft.text):
            if code == "line-end" and found.start() < draft.head:
                draft.is_clear = False
            if code not in reported:
                draft.report(code, *found.span())
            draft.remove(pattern, len(draft.text))
    return False


# Texts that are something else.

_EMAIL_ADDRESS: Final = r"[^\s/\\@:?#]++@[^\s/\\@:?#]++"
_FILE_NAME: Final = rf"[{ALPHA}]:(?:\\|/(?!/)|\Z)"
_PHONE_NUMBER: Final = r"\+?+[(0-9][0-9 ()/\-]{5,29}+"


def _recognize(draft: _Draft) -> bool:
    """Recognize e-mail addresses, names of files, and phone numbers."""
    if _compiled(_EMAIL_ADDRESS).fullmatch(draft.text):
        return draft.report_only("email-address")
    if _compiled(_FILE_NAME).match(draft.text):
        return draft.report_only("file-name")
    if _compiled(_PHONE_NUMBER).fullmatch(draft.text) and len(re.findall(f"[{DIGIT}]", draft.text)) > 5:  # noqa: PLR2004
        return draft.report_only("phone-number")
    return False


def _join(draft: _Draft) -> bool:
    """Remove spaces at the delimiters before the path, or find the address among other words."""
    label = _compiled(r"([^\W_][\w-]*+):\s+(?=\S)").match(draft.text)
    if label and not _meant_scheme(draft, label[1]) and not _is_registered(label[1]):
        draft.report("other-words", 0, label.end())
        draft.keep(label.end(), len(draft.text))
    head = draft.text[: draft.head]
    if not (first := re.search(r"\s+", head)):
        return False
    at_delimiters = _compiled(r"(?<=[.:/\\])\s++|(?<!\s)\s++(?=[.:/\\])")
    has_scheme = _compiled(rf"[{ALPHA}]++[:;.,]*+[/\\]").match(head) is not None
    if re.search(r"\s", at_delimiters.sub("", head)):
        words = draft.text.split()
        names = [word for word in words if re.search(_INNER_DOT, word)]
        is_strong = len(names) == 1 and re.match(rf"(?i)[{ALPHA}]++://|www\.", names[0])
        if is_strong or (len(names) == 1 and len(words) > 2 and not has_scheme):  # noqa: PLR2004
            return draft.report_only("other-words", _correct(draft, names[0].rstrip(".,;:!?")))
        if not has_scheme and len(names) != 1:
            return draft.report_only("several-addresses" if names else "not-an-address")
    else:
        draft.report("space-in-name", *first.span())
    draft.remove(at_delimiters, len(head))
    return False


def _correct(draft: _Draft, word: str) -> str | None:
    """Return a word that is a web address, or would be one after correction."""
    if len(draft.original) > MAX_SUGGESTION_CHARACTERS:
        return None
    schemes = tuple(draft.schemes)
    return word if draft.matches(word) else diagnose(word, schemes)[0].suggestion


def _replace_characters(draft: _Draft) -> bool:
    """Replace backslashes up to the query, and characters up to the path that only look like those of an address."""
    text = draft.text
    before_query = re.match("[^?#]*", text).end()  # type: ignore[union-attr]
    if found := re.compile(r"\\+").search(text, 0, before_query):
        draft.report("backslash", *found.span())
        draft.text = text[:before_query].replace("\\", "/") + text[before_query:]
    if draft.text.isascii():
        return False
    head = draft.text[: draft.head]
    if found := _compiled(f"[{''.join(map(re.escape, map(chr, _LOOK_ALIKES)))}]+").search(head):
        sample = _sample(found[0])
        draft.report("look-alike", *found.span(), found=quote(sample), better=quote(sample.translate(_LOOK_ALIKES)))
        draft.text = head.translate(_LOOK_ALIKES) + draft.text[len(head) :]
    return False


def _sample(run: str) -> str:
    return run if len(run) <= _MAX_SHOWN_RUN else run[0]


# The beginning.


def _is_registered(scheme: str) -> bool:
    return scheme.lower() in DEFAULT_PORTS or scheme.lower() in SCHEMES_WITHOUT_AUTHORITY


def _meant_scheme(draft: _Draft, word: str) -> str | None:
    """Return the allowed scheme that a word is, or probably was meant to be."""
    name = word.lower()
    for scheme in (name, f"{name}s", name.removesuffix("s")):
        if scheme in draft.schemes and (scheme == name or _is_registered(name)):
            return scheme
    if _is_registered(name) or len(name) > _MAX_SCHEME_CHARACTERS:
        return None
    return re.sub('.*"(.*)".*', r"\1", did_you_mean(name, draft.schemes)) or None


def _drop_earlier_beginnings(draft: _Draft) -> bool:
    """Find a second "http://" before the path, and remove what is before it if that is no address."""
    scheme = f"(?ai:{'|'.join(map(re.escape, sorted(draft.schemes, reverse=True)))})"
    beginning = rf"{scheme}(?:[:;]?/|[:;](?![{DIGIT}]))"
    repeated = _compiled(zero_or_more(rf"{scheme}[:;.,]*+/*+(?={beginning})")).match(draft.text)
    if repeated and repeated.end():
        second = _compiled(scheme).match(draft.text, repeated.end())
        draft.report("repeated-scheme", *repeated.span(), better=quote(f"{second[0]}://") if second else "")
        draft.keep(repeated.end(), len(draft.text))
    later = _compiled(rf"((?>[{ALPHA}]{{2,7}}+[:;.,]*+/++|)[^/?#]*?){scheme}(?:[:;]?//|:/)").match(draft.text)
    before = later[1] if later else ""
    if re.search(_INNER_DOT, before):
        return draft.report_only("several-addresses")
    first = before.partition(":")[0]
    if before and not before[-1].isalnum() and (_meant_scheme(draft, first) or not _is_registered(first)):
        draft.report("other-words", 0, len(before))
        draft.keep(len(before), len(draft.text))
    return False


def _read_beginning(draft: _Draft) -> bool:
    """Read the scheme and its delimiter, and find the authority."""
    text = draft.text
    typed = re.match(rf"([{ALPHA}][{ALPHA}{DIGIT}+\-]*+)([:;.,]*+/*+(?>:(?![{DIGIT}:])/*+|))", text)
    if typed and re.search("[:;/]", typed[2]) and (meant := _meant_scheme(draft, typed[1])):
        draft.authority = typed.end()
        _check_scheme(draft, typed, meant)
        return False
    if name := _other_scheme(text):
        slashes = "//" if text.startswith("//", len(name) + 1) else ""
        draft.report_unclear("other-scheme", 0, len(name) + 1, found=quote(f"{name}:{slashes}"))
        return True
    slashes = re.match("[:;,.]*+//++|[:;,]*+", text)[0]  # type: ignore[index]  # it matches ""
    draft.authority = len(slashes)
    host, _ = _split_host(draft)
    if not _is_site(draft, *host):
        return draft.report_only("not-an-address")
    is_local = re.fullmatch(rf"(?i)localhost|[{DIGIT}.]+|\[.*", text[slice(*host)])
    scheme = "http" if is_local and "http" in draft.schemes else draft.texts.scheme
    draft.report("no-scheme", 0, len(slashes))
    draft.edit(0, len(slashes), f"{scheme}://")
    if text.endswith(".") and host[1] == len(text):  # a full stop after the last word of a sentence
        draft.edit(len(text) - 1, len(text), "")
    return False


def _check_scheme(draft: _Draft, typed: re.Match[str], meant: str) -> None:
    """Check a scheme and its delimiter."""
    word, delimiter = typed.groups()
    draft.scheme = meant
    if word.lower() != meant:
        code = "other-scheme" if _is_registered(word) else "mistyped-scheme"
        draft.report(code, *typed.span(1), found=quote(word), better=quote(f"{meant}://"))
        draft.edit(*typed.span(1), meant)
    if delimiter != "://" and typed.end() < len(draft.text):
        draft.report("slashes", *typed.span(2), found=quote(meant), better=quote(f"{meant}://"))
        draft.edit(*typed.span(2), "://")


def _other_scheme(text: str) -> str | None:
    """Return the scheme of a text that begins with one, but not with the name of a website and a port."""
    typed = re.match(f"({SCHEME}):", text)
    if not typed:
        return None
    name, rest = typed[1], typed.end()
    if _is_registered(name):
        return name
    is_host = re.compile(rf"[{DIGIT}]++(?![^/?#])|[^/?#]*@").match(text, rest) or name.lower() == "localhost"
    return None if "." in name or is_host else name


def _is_site(draft: _Draft, start: int, end: int) -> bool:
    """Return whether a text without a scheme is likely to be the name or the address of a website."""
    text, host = draft.text, draft.text[start:end]
    if re.fullmatch(rf"[{DIGIT}.]+", host):
        return host.count(".") == 3 and ".." not in host  # noqa: PLR2004  four numbers
    has_port = re.compile(rf":[{DIGIT}]++(?![^/?#])").match(text, end) is not None
    is_address = host.startswith("[") and is_ipv6address(host[1:-1])
    has_dot = _compiled(rf"(?i:^www,)|{_INNER_DOT}").search(host) is not None
    return (
        has_dot or is_address or host.lower() == "localhost" or (has_port and re.fullmatch(r"[\w-]+", host) is not None)
    )


# The authority.


def _split_host(draft: _Draft) -> tuple[tuple[int, int], int]:
    """Find the host, and where the authority ends."""
    text = draft.text
    end = re.compile("[^/?#]*").match(text, draft.authority).end()  # type: ignore[union-attr]
    start = max(draft.authority, text.rfind("@", draft.authority, end) + 1)
    if text.startswith("[", start):
        bracket = text.find("]", start, end)
        return (start, bracket + 1 if bracket >= 0 else end), end
    colon = text.find(":", start, end)
    return (start, end if colon < 0 else colon), end


def _check_authority(draft: _Draft) -> bool:
    """Check the userinfo, the host and the port."""
    text = draft.text
    (start, end), draft.tail = _split_host(draft)
    if start > draft.authority:
        name = text[draft.authority : start - 1].partition(":")[0]
        if re.search(_INNER_DOT, name):
            draft.report_unclear(
                "misleading-userinfo", draft.authority, start, found=quote(name), better=quote(text[start:end])
            )
        else:
            draft.report("userinfo", draft.authority, start)
            draft.edit(draft.authority, start, "")
    if is_ipv6address(text[start : draft.tail]):
        draft.report("no-brackets", start, draft.tail)
        draft.edit(start, start, "[")
        draft.edit(draft.tail, draft.tail, "]")
        return False
    if text.startswith("[", start):
        inside = text[start + 1 : end - 1]
        if re.search(_INNER_DOT, inside) and ":" not in inside and text[end - 1] == "]":
            draft.report("quotes", start, start + 1)
            draft.edit(start, start + 1, "")
            draft.edit(end - 1, end, "")
        elif not is_ipv6address(inside) or text[end - 1] != "]" or text[end : end + 1] not in (":/?#"):
            draft.report_unclear("ipv6-address", start, end)
            return False
    elif not text[start:end].strip("."):
        beginning = f"{draft.scheme}://"
        draft.report_unclear("no-host", start, end, found=quote(beginning), better=f"{beginning}example.com")
    else:
        _check_name(draft, start, end)
    if end < draft.tail:
        _check_port(draft, end, draft.tail)
    return False


def _check_port(draft: _Draft, start: int, end: int) -> None:
    """Check a port, with the colon before it."""
    port = draft.text[start + 1 : end]
    if not port:
        draft.report("port", start, end)
        draft.edit(start, end, "")
    elif not re.fullmatch(f"[{DIGIT}]++", port):
        draft.report_unclear("port", start, end)
    else:
        number = port.lstrip("0") or "0"
        if len(number) > len(str(MAX_PORT)) or int(number) > MAX_PORT:
            draft.report_unclear("port-out-of-range", start, end)


def _check_name(draft: _Draft, start: int, end: int) -> None:
    """Check a host that is not in brackets."""
    name = draft.text[start:end]
    has_wrong_characters = _check_name_characters(draft, start, end)
    last_label = name.rstrip(".").rpartition(".")[2]
    if not has_wrong_characters and re.fullmatch(rf"0[Xx][{HEXDIG}]*|[{DIGIT}]+", last_label):
        if not re.fullmatch(IPV4ADDRESS, name):
            _correct_ipv4address(draft, start, end)
        return
    for dots in islice(re.compile(r"(?<![^.])\.+|\.{2,}").finditer(name), MAX_PROBLEMS):
        is_inside = dots.start() > 0 and dots.end() < len(name)
        draft.report("extra-dot", start + dots.start(), start + dots.end())
        draft.edit(start + dots.start(), start + dots.end(), "." if is_inside else "", needs_dot=True)
    for hyphens in islice(re.compile(r"(?<![^.])-++|(?<!-)-++(?![^.])").finditer(name), MAX_PROBLEMS):
        draft.report_unclear("hyphen", start + hyphens.start(), start + hyphens.end())
    long_labels = [*islice(re.compile(rf"[^.]{{{MAX_LABEL_LENGTH + 1},}}+").finditer(name), MAX_PROBLEMS)]
    for label in long_labels:
        length = label.end() - label.start()
        draft.report_unclear("long-label", start + label.start(), start + label.end(), found=f"{length:,}")
    length = len(name.removesuffix("."))
    if length > MAX_NAME_LENGTH and not long_labels:
        draft.report_unclear("long-name", start, end, found=f"{length:,}")


def _check_name_characters(draft: _Draft, start: int, end: int) -> bool:
    """Report characters that no name of a website has."""
    name = draft.text[start:end]
    if not name.isascii():
        wrong = re.search(r"[^\0-\x7f]+", name)
        draft.report_unclear("non-ascii-name", start, end, found=quote(_sample(wrong[0]) if wrong else ""))
    runs = re.compile(rf"\s+|[^{ALPHA}{DIGIT}.\-\s\x80-\U0010ffff]+")
    found = [*islice(runs.finditer(name), MAX_PROBLEMS)]
    for run in found:
        first, last = start + run.start(), start + run.end()
        if run[0].isspace():
            draft.report_unclear("space-in-name", first, last)
            continue
        if run[0] == "," and run.start() > 0 and run.end() < len(name):
            if all(problem.code != "comma" for problem in draft.problems):
                draft.report("comma", first, last)
            draft.edit(first, last, ".", needs_dot=True)
            continue
        draft.report("name-character", first, last, found=quote(_sample(run[0])))
        if run.end() == len(name) and last == len(draft.text):
            draft.edit(first, last, "")  # punctuation after the address
        else:
            draft.is_clear = False
    return bool(found)


def _correct_ipv4address(draft: _Draft, start: int, end: int) -> None:
    """Report a host that browsers read as an IPv4 address; zeros before its numbers can be removed."""
    draft.report("ipv4-address", start, end)
    numbers = re.fullmatch(
        rf"(?:0*([{DIGIT}]{{1,3}})\.)(?:0*([{DIGIT}]{{1,3}})\.)(?:0*([{DIGIT}]{{1,3}})\.)0*([{DIGIT}]{{1,3}})\.?",
        draft.text[start:end],
    )
    if numbers:
        draft.edit(start, end, ".".join(str(int(number)) for number in numbers.groups()))
    else:
        draft.is_clear = False


# The rest.


def _check_tail(draft: _Draft) -> bool:
    """Check the path, the query and the fragment; each place is a problem."""
    text, start = draft.text, draft.tail
    for run in islice(_wrong_runs(text, start), MAX_PROBLEMS):
        sample = _sample(run[0])
        if run[0].isspace():
            draft.report("space", *run.span())
        elif run[0] == "%":
            draft.report("escape", *run.span())
        elif run[0].isascii():
            draft.report("character", *run.span(), found=quote(sample), better=encode(sample, "path"))
        else:
            draft.report("non-ascii", *run.span(), found=quote(sample), better=encode(sample, "path"))
    if len(text) <= MAX_SUGGESTION_CHARACTERS:
        tail = re.sub(r"\s", " ", text[start:])
        draft.edit(start, len(text), repair(f"//h{tail}").removeprefix("//h"))
    return False


def _wrong_runs(text: str, start: int) -> Iterator[re.Match[str]]:
    """Find characters that are not allowed after the authority; "#" is allowed once."""
    wrong = re.compile(rf"\s+|[^\0-\x7f]+|[^{PCHAR}/?%\s\x80-\U0010ffff]+|%(?!{ESCAPED[1:]})")
    fragment = text.find("#", start)
    fragment = len(text) if fragment < 0 else fragment
    yield from wrong.finditer(text, start, fragment)
    yield from wrong.finditer(text, fragment + 1)


_STEPS: Final[tuple[Callable[[_Draft], bool], ...]] = (
    *(_strip, _clean, _recognize, _join, _replace_characters),
    *(_drop_earlier_beginnings, _read_beginning, _check_authority, _check_tail),
)
