"""Make keys, SURTs and sites of whole columns of references."""

from functools import cache, partial
from typing import Any, Final

from urisect import crawl
from urisect.arrow_packages import pa
from urisect.crawl import PROFILES, Profile, SuffixList
from urisect.engines.component_columns import split_column
from urisect.engines.rows import change_rows
from urisect.engines.text_columns import Column, TextColumn, map_chunks, to_array_of
from urisect.normalization import RFC3986_NORMALIZATION

__all__ = ["key", "site", "surt"]


def key(array: Column, profile: str | Profile = "request-1") -> Column:
    """Make the keys of a column of references, as `crawl.key` makes that of each (RFC 3986, 6.2).

    Rows that one match shows to be their own keys are not touched. If all are, the result has the buffers of the
    argument.

    Args:
        array: the references.
        profile: a profile or its name.

    Raises:
        TypeError: the column is not text.
        ValueError: there is no profile of this name.

    >>> import pyarrow as pa
    >>> key(pa.array(["HTTP://Example.com:80/%7efred#top", None])).to_pylist()
    ['http://example.com/~fred', None]
    """
    crawl.key("", profile)
    make_key = partial(crawl.key, profile=profile)
    return map_chunks(partial(change_rows, function=make_key, unchanged=_own_keys(profile)), array, "key()")


# The characters of references that are their own keys if they are normal by scheme: those of URIs, without "#", and
# without "?" for a profile that changes queries. `loose-1` changes most references.
_CHARACTERS: Final = r"!$%&'()*+,\-./0-9:;=@A-Z\[\]_a-z~"
_OWN_KEYS: Final = {"syntax-1": _CHARACTERS + "?", "request-1": _CHARACTERS + "?", "page-1": _CHARACTERS}


def _own_keys(profile: str | Profile) -> str | None:
    """Return an expression of references that are their own keys; it finds most of them.

    Returns:
        The expression, as `change_rows` takes it; None if there is none for the profile.
    """
    known = PROFILES[profile] if isinstance(profile, str) else profile
    characters = next((characters for name, characters in _OWN_KEYS.items() if known == PROFILES[name]), None)
    return characters and rf"(?=[{characters}]*+\Z){RFC3986_NORMALIZATION.normal_form('scheme')}"


def surt(array: Column, *, keep_www: bool = False) -> Column:
    """Make the SURTs of a column of references, as `crawl.surt` makes that of each.

    Args:
        array: the references.
        keep_www: whether "www." stays.

    Raises:
        TypeError: the column is not text.

    >>> import pyarrow as pa
    >>> surt(pa.array(["http://www.example.com/a", None])).to_pylist()
    ['com,example)/a', None]
    """
    return map_chunks(partial(change_rows, function=partial(crawl.surt, keep_www=keep_www)), array, "surt()")


def site(array: Column, *, suffixes: SuffixList | None = None) -> Column:
    """Find the sites of a column of references, as `crawl.site` finds that of each.

    Each distinct host is looked up once.

    Args:
        array: the references.
        suffixes: the list of public suffixes; that of the package publicsuffixlist by default.

    Returns:
        A column of registered domains; null where the host is none, an IP address or a public suffix.

    Raises:
        TypeError: the column is not text.
        MissingExtraError: no list is given, and the extra `psl` is not installed.

    >>> import pyarrow as pa
    >>> site(pa.array(["http://www.example.co.uk/a", "http://co.uk/", "/a"])).to_pylist()
    ['example.co.uk', None, None]
    """
    site_of = cache(partial(_site_of_host, suffixes=suffixes))

    def find(column: TextColumn) -> pa.Array:
        [hosts] = split_column(column, ["host"]).flatten()
        encoded = hosts.dictionary_encode()
        sites = [site_of(host) for host in TextColumn.from_array(encoded.dictionary).to_list()]
        return to_array_of(sites, column.type).take(encoded.indices)

    return map_chunks(find, array, "site()")


def _site_of_host(host: Any, suffixes: SuffixList | None) -> Any:
    return crawl.site(f"//{host}" if isinstance(host, str) else b"//" + host, suffixes=suffixes)
