"""Define problems: their codes, and the sentences for the person who typed the text."""

from typing import AnyStr, Final, Generic, NamedTuple

__all__ = ["CODES", "Problem", "Texts", "make_message", "quote"]

_NAME: Final = "the name of the website"

# The sentences of each code. Details: {scheme} is "https", {example} "https://example.com", {beginnings} "https:// or
# http://", {found} what was found, in quotes, {better} what to type instead.
_MESSAGES: Final = {
    # The whole text
    "empty": "Type a web address, such as {example}.",
    "not-an-address": "This is not a web address yet: type a whole one, such as {example}.",
    "email-address": "This is an e-mail address: type the address of a website, such as {example}.",
    "phone-number": "This looks like a phone number or a date: type the address of a website, such as {example}.",
    "file-name": "This is a file or a folder on a computer: type the address of a website, such as {example}.",
    "other-words": "Type only the web address, without other words.",
    "several-addresses": "There is more than one web address: type only one.",
    "quotes": "Type the web address without the quotation marks or brackets around it.",
    # Characters
    "outer-space": "Remove the empty space {found} the web address.",
    "space-in-name": "Remove the space: a web address has no spaces.",
    "space": 'Remove the space, or type "%20" for it: a web address has no spaces.',
    "line-end": "Type the web address on one line.",
    "invisible-character": "There is an invisible character here: type this part again instead of pasting it.",
    "backslash": 'Type "/" instead of "\\".',
    "look-alike": "Type {better} here: {found} only looks like it.",
    "character": 'Remove {found}, or type "{better}" for it: a web address cannot have this character here.',
    "non-ascii": 'Copy the web address from your browser, or type "{better}" for {found}.',
    "escape": 'Type "%25" for a percent sign: "%" has a special meaning in a web address.',
    # The beginning
    "no-scheme": "Type {beginnings} at the beginning.",
    "mistyped-scheme": "Type {better} at the beginning: {found} is mistyped.",
    "other-scheme": "Type an address that begins with {beginnings}: {found} cannot be used here.",
    "repeated-scheme": "Type {better} only once.",
    "slashes": "After {found}, type a colon and two slashes: {better}.",
    # The name of the website
    "userinfo": 'Remove the "@" and what is before it: a web address here has no user name and no password.',
    "misleading-userinfo": 'Remove the "@" and what you do not mean: this leads to {better}, not to {found}.',
    "no-host": f"Type {_NAME} after {{found}}, as in {{better}}.",
    "non-ascii-name": "Open the website, and copy its address from your browser: {found} cannot be used here.",
    "comma": f"Type a dot instead of the comma in {_NAME}.",
    "name-character": f"Remove or replace {{found}}: {_NAME} has only letters, digits, hyphens and dots.",
    "extra-dot": f"Remove the extra dot in {_NAME}.",
    "hyphen": f"Remove the hyphen: no part of {_NAME} begins or ends with one.",
    "long-label": f"Shorten this part of {_NAME}: between two dots there is room for 63 characters, not {{found}}.",
    "long-name": f"Shorten {_NAME}: it can have 253 characters, not {{found}}.",
    "ipv4-address": f"Type four numbers from 0 to 255 with dots between them, as in {{better}}, or {_NAME}.",
    "ipv6-address": f"Type the number in brackets again, as in [2001:db8::1], or {_NAME}.",
    "no-brackets": "Type brackets around this number, as in [2001:db8::1].",
    # The port
    "port": "Type a number after the colon, as in :8080, or remove the colon.",
    "port-out-of-range": "Type a smaller number after the colon: 65535 is the largest.",
}

CODES: Final = tuple(_MESSAGES)

_MAX_QUOTED_CHARACTERS: Final = 40


class Problem(NamedTuple, Generic[AnyStr]):
    """Why a text is not a web address (RFC 3986, 3, and narrower rules), for the person who typed it.

    Attributes:
        code: the kind of problem, such as "no-scheme"; docs/reference/web.md lists them.
        offset: where it begins in the text, in characters; in bytes if the text is bytes.
        length: how many characters (or bytes) it has; 0 where something is missing.
        message: a sentence that says what to do.
        suggestion: the whole text without all its problems, if it is clear what was meant; otherwise None. For a name
            beyond ASCII, that needs `urisect[idna]`.

    >>> from urisect import web
    >>> web.check("htp://example.com")[0].suggestion
    'http://example.com'
    """

    code: str
    offset: int
    length: int
    message: str
    suggestion: AnyStr | None


class Texts(NamedTuple):
    """What messages say about the allowed schemes.

    Attributes:
        scheme: the scheme to use where none was typed: https if it is allowed.
        beginnings: how a web address may begin.
    """

    scheme: str
    beginnings: str

    @classmethod
    def of(cls, schemes: tuple[str, ...]) -> "Texts":
        """Return the texts for some schemes.

        >>> Texts.of(("http", "https")).beginnings
        'https:// or http://'
        """
        names = [*dict.fromkeys(scheme.lower() for scheme in schemes)]
        names.sort(key="https".__ne__)
        *first, last = (f"{name}://" for name in names)
        return cls(names[0], f"{', '.join(first)} or {last}" if first else last)


def make_message(code: str, texts: Texts, *, found: str, better: str) -> str:
    """Return the sentence of a problem.

    >>> make_message("slashes", Texts.of(("http",)), found='"http"', better='"http://"')
    'After "http", type a colon and two slashes: "http://".'
    """
    example = f"{texts.scheme}://example.com"
    return _MESSAGES[code].format(example=example, beginnings=texts.beginnings, found=found, better=better)


def quote(text: str) -> str:
    r"""Quote what somebody typed, in visible characters, and shorten it if it is long.

    >>> quote("ftp:"), quote("\u200b"), len(quote("a" * 100))
    ('"ftp:"', 'a character that cannot be shown', 43)
    """
    if not text.isprintable():
        return "a character that cannot be shown"
    more = "…" if len(text) > _MAX_QUOTED_CHARACTERS else ""
    mark = "'" if '"' in text else '"'
    return f"{mark}{text[:_MAX_QUOTED_CHARACTERS]}{more}{mark}"
