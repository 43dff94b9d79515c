"""The steps that make the key of a reference, as a profile selects them."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Final

from urisect.crawl.profiles import Profile
from urisect.escapes import decode_any
from urisect.normalization import RFC3986_NORMALIZATION
from urisect.parameters import name_expression
from urisect.reference import Reference, recompose, split, split_authority
from urisect.repetition import zero_or_more

__all__ = ["Steps"]


class Steps:
    """The steps of a profile, compiled.

    >>> Steps(Profile("ours-1", drops_www=True)).make_key("http://www.example.com/#top")
    'http://example.com/'
    """

    def __init__(self, profile: Profile) -> None:
        """Prepare the steps.

        Args:
            profile: the profile.
        """
        self._profile = profile
        self._normalize = RFC3986_NORMALIZATION.levels[profile.level]
        self._pages = {page.lower() for page in profile.default_pages}
        self._longest_page = max(map(len, self._pages), default=0)
        self._names = frozenset(name for name in profile.dropped_parameters if "*" not in name)
        self._session_names = frozenset(profile.session_parameters)
        self.make_key: Callable[[str], str] = self._make_key if self._changes_http else self._make_request_key

    @property
    def _changes_http(self) -> bool:
        """Whether a step after the fragment is selected."""
        profile = self._profile
        return profile != Profile(profile.name, level=profile.level, drops_fragment=profile.drops_fragment)

    def _make_request_key(self, text: str) -> str:
        """Make a key by normalization and the step of the fragment."""
        return self._drop_fragment(self._normalize(text))

    def _drop_fragment(self, normal: str) -> str:
        if "#" in normal and self._profile.drops_fragment and split(normal).scheme is not None:
            return normal.partition("#")[0]
        return normal

    def _make_key(self, text: str) -> str:
        """Make a key by all steps.

        One match finds most URIs that are their key: 1.4 times the time of `normalize` without a query, 2 to 3 times
        with several parameters. All steps take 10 times as long.
        """
        if "#" not in text and self._match_key(text) and ("&" not in text or self._is_sorted(text)):
            return text
        normal = self._normalize(text)
        if not normal.startswith(("http://", "https://")):
            return self._drop_fragment(normal)
        key = recompose(self._apply(split(normal)))
        return text if key == text else key

    def _is_sorted(self, uri: str) -> bool:
        """Whether the parameters of a URI without a fragment are known to be sorted, or need not be.

        "=" becomes the least character, so that the order of parameters is that of their names.
        """
        if not self._profile.sorts_parameters:
            return True
        parameters = uri[uri.find("?") + 1 :].replace("=", "\0").split("&")
        return parameters == sorted(parameters)

    def _apply(self, reference: Reference[str]) -> Reference[str]:
        """Apply the steps to a URI of HTTP with an authority."""
        scheme, authority, path, query, fragment = reference
        if self._profile.replaces_http and split_authority(authority or "").port is None:
            scheme = "https"
        if self._profile.drops_www:
            authority = _drop_www(authority or "")
        if query is not None:
            query = self._change_query(query)
        if self._profile.drops_fragment:
            fragment = None
        return Reference(scheme, authority, self._change_path(path), query, fragment)

    def _change_path(self, path: str) -> str:
        if self._profile.drops_session_segments:
            path = re.sub(_SESSION_SEGMENT, "", re.sub(_SESSION_PATH_PARAMETER, "", path))
        end = len(path)  # an index, not shorter paths: copies of "/index.html" repeated would take quadratic time
        while True:
            while self._profile.drops_trailing_slash and end > 1 and path[end - 1] == "/":
                end -= 1
            start = path.rfind("/", 0, end) + 1
            page = path[start : min(end, start + self._longest_page + 1)]
            if not page.isascii() or page.lower() not in self._pages:
                return path[:end]
            end = start

    def _change_query(self, query: str) -> str | None:
        pieces = query.split("&")
        kept: list[tuple[str, str]] = []
        for piece in pieces:
            name, _, value = piece.partition("=")
            if "%" in name:
                name = decode_any(name)
            if not piece:
                if not self._profile.sorts_parameters:
                    kept.append((name, piece))
            elif not (
                name in self._names
                or self._match_name(name)
                or (name in self._session_names and re.fullmatch(_HEXADECIMAL_ID, value))
            ):
                kept.append((name, piece))
        if self._profile.sorts_parameters:
            kept.sort(key=itemgetter(0))
        changed = "&".join([piece for _, piece in kept])
        is_dropped = not kept and any(pieces)
        return None if is_dropped or (self._profile.drops_empty_query and not changed) else changed

    @cached_property
    def _match_name(self) -> Callable[[str], object]:
        """Match the names of parameters that a pattern with "*" drops."""
        patterns = [name for name in self._profile.dropped_parameters if "*" in name]
        return re.compile("|".join(map(name_expression, patterns)) or "(?!)", re.DOTALL).fullmatch

    @cached_property
    def _match_key(self) -> Callable[[str], object]:
        """Match most references without "#" that are their own key, if their parameters are sorted.

        A class of one character is much faster than one of two, so "#" is not excluded again and again.
        """
        profile = self._profile
        scheme = "https" if profile.replaces_http else "https?"
        host = "(?!www[0-9]*+[.])[^/?@]*+" if profile.drops_www else ""
        path = "[^?;(]*+" if profile.drops_session_segments else "[^?]*+"
        if profile.drops_trailing_slash:
            path = f"(?:[^/?]*+/(?![^?])|{path}(?<!/))"
        no_page = "".join(_no_page_before(pages) for _, pages in groupby(sorted(self._pages, key=len), len))
        names = _beginnings((*profile.dropped_parameters, *profile.session_parameters))
        parameter = rf"(?!{names})[^&=%\0]++(?>=[^&]*+|)"
        query = f"(?>[?]{parameter}{zero_or_more('&' + parameter)}|)"
        unchanged = rf"(?={scheme}://{host}{path}{no_page}{query}\Z|(?!https?:))"
        return re.compile(unchanged + RFC3986_NORMALIZATION.normal_form(profile.level), re.DOTALL).fullmatch


def _drop_www(authority: str) -> str:
    """Drop "www." as long as two labels are left.

    >>> _drop_www("www.www.example.com:8080"), _drop_www("www.com")
    ('example.com:8080', 'www.com')
    """
    userinfo, at, host = authority.rpartition("@")
    found = re.match(_WWW, host)
    return f"{userinfo}{at}{host[found.end() :]}" if found else authority


# "www.", "www2." and so on before a host of two labels or more; as many as there are. The rest must not become an IP
# literal, "[…]".
_WWW: Final = zero_or_more(r"www[0-9]*+\.(?=[^.:\[]++\.[^.:])")

# Jakarta Servlet, 7.1.3: a parameter of a segment. Behind a dot segment it stays, which would be one without it.
_SESSION_PATH_PARAMETER: Final = r"(?<!/\.)(?<!/\.\.);(?:jsessionid|JSESSIONID)=[^/;]*+"

# ASP.NET, sessionState with cookieless="true": a segment.
_SESSION_SEGMENT: Final = r"/\(S\([0-9a-z]{24}\)\)(?=/)"

_HEXADECIMAL_ID: Final = "[0-9A-Fa-f]{32}"


def _beginnings(patterns: Iterable[str]) -> str:
    """Write the expression of names before their end; of a pattern, the text before "*".

    Names are grouped by their first character, because `re` tries the alternatives one by one.

    >>> _beginnings(["gclid", "utm_*", "gbraid"])
    '(?:g(?:braid(?![^=&#])|clid(?![^=&#]))|u(?:tm_))'
    """
    alternatives = []
    for first, group in groupby(sorted(patterns), lambda pattern: pattern[:1]):
        if first in ("", "*"):
            return ""  # any name
        rests = [
            re.escape(before) if star else f"{re.escape(before)}(?![^=&#])"
            for before, star, _ in (pattern[1:].partition("*") for pattern in group)
        ]
        alternatives.append(f"{re.escape(first)}(?:{'|'.join(rests)})")
    return f"(?:{'|'.join(alternatives)})" if alternatives else "(?!)"


def _no_page_before(pages: Iterable[str]) -> str:
    r"""Write the expression of a place without a default page before it; all pages are equally long.

    >>> _no_page_before(["a.b"])
    '(?<!/(?:[aA]\\.[bB]))'
    """
    alternatives = ("".join(map(_any_case, page)) for page in pages)
    return f"(?<!/(?:{'|'.join(alternatives)}))"


def _any_case(character: str) -> str:
    return f"[{character}{character.upper()}]" if character.isalpha() else re.escape(character)
