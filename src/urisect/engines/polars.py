"""Split, check, resolve, normalize and key columns of Polars: importing this module adds the namespace `uri`.

Expressions and series have it, so it works in data frames, in lazy frames and in the streaming engine, which calls
it with one batch of rows at a time. A column is of type String, Binary, Categorical or Enum. Null stays null, and no
value raises an error.

>>> import polars as pl
>>> import urisect.engines.polars
>>> frame = pl.DataFrame({"url": ["http://example.com:80/a?b#c", "mailto:fred@example.com", None]})
>>> frame.select(pl.col("url").uri.host(), path=pl.col("url").uri.path()).rows()
[('example.com', '/a'), (None, 'fred@example.com'), (None, None)]
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, Generic, TypeVar

from urisect.crawl import Profile, SuffixList
from urisect.engines.fields import FIELDS, check_fields
from urisect.extras import MissingExtraError
from urisect.normalization import Level
from urisect.reference import ReferenceLike
from urisect.resolution import Base
from urisect.specs import RFC3986, Specification

try:
    import polars as pl
except ModuleNotFoundError:
    raise MissingExtraError("a column of Polars", "polars", "polars") from None

from urisect.arrow_packages import pa
from urisect.engines import arrow

__all__ = ["URINamespace"]

Columns = TypeVar("Columns", pl.Expr, pl.Series)

_TEXT_TYPES: Final = (pl.String, pl.Binary, pl.Categorical, pl.Enum, pl.Null)

# Types with offsets of 64 bits, and those with 32 bits, which are faster, for text of less than 2 GiB.
_SMALL_TYPES: Final = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}
_MAX_SMALL_BYTES: Final = 1 << 31

_NO_ROWS: Final = pa.array([], pa.string())


@pl.api.register_series_namespace("uri")
@pl.api.register_expr_namespace("uri")
class URINamespace(Generic[Columns]):
    """The methods of `uri`, on expressions and on series: `pl.col("url").uri.host()`, `series.uri.host()`.

    Each method returns what it is called on: an expression or a series. Type checkers do not know namespaces that are
    registered; they do know `URINamespace(pl.col("url")).host()`.

    >>> import polars as pl
    >>> series = pl.Series(["http://example.com/a"])
    >>> series.uri.host().to_list(), URINamespace(series).path().to_list()
    (['example.com'], ['/a'])
    """

    def __init__(self, column: Columns) -> None:
        self._column: Columns = column

    def split(self, fields: Iterable[str] = FIELDS) -> Columns:
        """Split references into components, as `urisect.split` splits each (RFC 3986, Appendix B).

        Args:
            fields: the components and sub-components to return; only these are built.

        Returns:
            Structs with these fields, which are null where a component is undefined, and "" where it is empty.

        Raises:
            TypeError: the column is not text; raised when the query runs.
            ValueError: there is no such field, a field is named twice, or none is named.

        >>> import polars as pl
        >>> pl.Series(["//example.com?"]).uri.split(["authority", "query", "fragment"]).to_list()
        [{'authority': 'example.com', 'query': '', 'fragment': None}]
        """
        return self._apply("split", partial(arrow.split, fields=check_fields(fields)))

    def scheme(self) -> Columns:
        """Return the schemes (RFC 3986, 3.1).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["mailto:fred@example.com", "a"]).uri.scheme().to_list()
        ['mailto', None]
        """
        return self._component("scheme")

    def authority(self) -> Columns:
        """Return the authorities: userinfo, host and port (RFC 3986, 3.2).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["http://fred@example.com:80/", "a"]).uri.authority().to_list()
        ['fred@example.com:80', None]
        """
        return self._component("authority")

    def userinfo(self) -> Columns:
        """Return what is before the last "@" of the authorities (RFC 3986, 3.2.1).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["http://fred@example.com:80/", "http://example.com/"]).uri.userinfo().to_list()
        ['fred', None]
        """
        return self._component("userinfo")

    def host(self) -> Columns:
        """Return the hosts, which are null where there is no authority (RFC 3986, 3.2.2).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["http://[::1]:80/", "file:///a", "a"]).uri.host().to_list()
        ['[::1]', '', None]
        """
        return self._component("host")

    def port(self) -> Columns:
        """Return the ports as text (RFC 3986, 3.2.3).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["http://example.com:80/", "http://example.com:/", "http://example.com/"]).uri.port().to_list()
        ['80', '', None]
        """
        return self._component("port")

    def path(self) -> Columns:
        """Return the paths, which may be empty but are null only in null rows (RFC 3986, 3.3).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["http://example.com/a", "http://example.com", None]).uri.path().to_list()
        ['/a', '', None]
        """
        return self._component("path")

    def query(self) -> Columns:
        """Return the queries, without "?" (RFC 3986, 3.4).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["/a?b=c#d", "/a?", "/a"]).uri.query().to_list()
        ['b=c', '', None]
        """
        return self._component("query")

    def fragment(self) -> Columns:
        """Return the fragments, without "#" (RFC 3986, 3.5).

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["/a?b=c#d", "/a#", "/a"]).uri.fragment().to_list()
        ['d', '', None]
        """
        return self._component("fragment")

    def is_valid(self, spec: Specification = RFC3986, rule: str = "URI-reference") -> Columns:
        """Check references by the grammar, as `strict.is_valid` checks each (RFC 3986, Appendix A).

        Args:
            spec: the specification that decides what is valid.
            rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

        Returns:
            Booleans.

        Raises:
            TypeError: the column is not text (raised when the query runs), or `spec` is not a `Specification`.
            ValueError: unknown rule.

        >>> import polars as pl
        >>> pl.Series(["http://example.com/", "a b", None]).uri.is_valid().to_list()
        [True, False, None]
        """
        return self._apply("is_valid", partial(arrow.is_valid, spec=spec, rule=rule))

    def violations(self, spec: Specification = RFC3986, rule: str = "URI-reference") -> Columns:
        """Find every place where a reference breaks a rule, as `strict.violations` does (RFC 3986, Appendix A).

        Args:
            spec: the specification that decides what is valid.
            rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

        Returns:
            Lists of structs with the attributes of `strict.Violation` and its message. Offsets and lengths count
            characters in a column of text, and bytes in one of bytes.

        Raises:
            TypeError: the column is not text (raised when the query runs), or `spec` is not a `Specification`.
            ValueError: unknown rule.

        >>> import polars as pl
        >>> [[violation]] = pl.Series(["http://a b/"]).uri.violations().to_list()
        >>> violation["component"], violation["offset"], violation["section"]
        ('host', 8, '3.2.2')
        """
        return self._apply("violations", partial(arrow.violations, spec=spec, rule=rule))

    def hazards(self) -> Columns:
        """Find what to know before references are dereferenced, as `urisect.hazards` does for each (RFC 3986, 7).

        Returns:
            Lists of structs with the fields of `urisect.Hazard`. Offsets count characters in a column of text, and
            bytes in one of bytes.

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> [hazards] = pl.Series(["http://127.1/"]).uri.hazards().to_list()
        >>> [hazard["code"] for hazard in hazards]
        ['loopback-address', 'rare-ipv4']
        """
        return self._apply("hazards", arrow.hazards)

    def normalize(self, level: Level = "syntax", spec: Specification | None = None) -> Columns:
        """Normalize references, as `urisect.normalize` normalizes each (RFC 3986, 6.2).

        Args:
            level: "string", "syntax" or "scheme".
            spec: the specification that defines which escapes are decoded, and how dot segments are removed; RFC 3986
                by default.

        Raises:
            TypeError: the column is not text; raised when the query runs.
            ValueError: the level is unknown.

        >>> import polars as pl
        >>> pl.Series(["HTTP://example.com:80/%7Efred", None]).uri.normalize(level="scheme").to_list()
        ['http://example.com/~fred', None]
        """
        return self._apply("normalize", partial(arrow.normalize, level=level, spec=spec))

    def key(self, profile: str | Profile = "request-1") -> Columns:
        """Make the keys of references, as `crawl.key` makes that of each (RFC 3986, 6.2).

        Args:
            profile: a profile or its name.

        Raises:
            TypeError: the column is not text; raised when the query runs.
            ValueError: there is no profile of this name.

        >>> import polars as pl
        >>> pl.Series(["HTTP://Example.com:80/%7efred#top", None]).uri.key().to_list()
        ['http://example.com/~fred', None]
        """
        return self._apply("key", partial(arrow.key, profile=profile))

    def surt(self, *, keep_www: bool = False) -> Columns:
        """Make the SURTs of references, as `crawl.surt` makes that of each.

        Args:
            keep_www: whether "www." stays.

        Raises:
            TypeError: the column is not text; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["http://www.example.com/a", None]).uri.surt().to_list()
        ['com,example)/a', None]
        """
        return self._apply("surt", partial(arrow.surt, keep_www=keep_www))

    def site(self, *, suffixes: SuffixList | None = None) -> Columns:
        """Find the sites of references, as `crawl.site` finds that of each.

        Args:
            suffixes: the list of public suffixes; that of the package publicsuffixlist by default.

        Returns:
            Registered domains; null where the host is none, an IP address or a public suffix.

        Raises:
            TypeError: the column is not text; raised when the query runs.
            MissingExtraError: no list is given, and the extra `psl` is not installed; raised when the query runs.

        >>> import polars as pl
        >>> pl.Series(["http://www.example.co.uk/a", "http://co.uk/"]).uri.site().to_list()
        ['example.co.uk', None]
        """
        return self._apply("site", partial(arrow.site, suffixes=suffixes))

    def resolve(
        self, base: ReferenceLike | Base[str] | Base[bytes] | pl.Expr | pl.Series, *, strict: bool = True
    ) -> Columns:
        """Resolve references, as `urisect.resolve` resolves each (RFC 3986, 5.2).

        Args:
            base: the base URI of all references, or an expression or series with the base URI of each; a text is a
                URI, not the name of a column.
            strict: False ignores a scheme that equals that of the base.

        Returns:
            Targets. A target is null if its base, in a column of them, is null or has no scheme.

        Raises:
            TypeError: a column is not text (raised when the query runs), the base is neither a text nor a column, or
                it is an expression, and the references are a series.
            ValueError: the one base has no scheme, or the columns differ in length.

        >>> import polars as pl
        >>> frame = pl.DataFrame({"page": ["http://example.com/a/b", "no base"], "link": ["../c", "?q"]})
        >>> frame.select(pl.col("link").uri.resolve("http://example.com/a/b")).to_series().to_list()
        ['http://example.com/c', 'http://example.com/a/b?q']
        >>> frame.select(pl.col("link").uri.resolve(pl.col("page"))).to_series().to_list()
        ['http://example.com/c', None]
        """
        if not isinstance(base, pl.Expr | pl.Series):
            return self._apply("resolve", partial(_resolve, base=base, strict=strict))
        function = partial(_resolve_by_row, strict=strict)
        if isinstance(self._column, pl.Series):
            if isinstance(base, pl.Expr):
                raise TypeError("the references are a series, so the bases are a text or a series, not an expression")
            return function([_check_type(series, "resolve") for series in (self._column, base)])
        bases = base if isinstance(base, pl.Expr) else pl.lit(base)
        checked = [_checked(column, "resolve") for column in (self._column, bases)]
        return pl.map_batches(checked, function, is_elementwise=True)

    def _component(self, name: str) -> Columns:
        """Return one component."""
        return self._apply(name, partial(_take_component, name=name))

    def _apply(self, name: str, function: Callable[[Any], Any]) -> Columns:
        """Apply a function of Arrow columns, after checking the other arguments.

        Args:
            name: the method, for messages.
            function: takes a column of any type of text; returns one whose type may depend on that.
        """
        function(_NO_ROWS)
        if isinstance(self._column, pl.Series):
            return _run(_check_type(self._column, name), function)
        return _checked(self._column, name).map_batches(partial(_run, function=function), is_elementwise=True)


def _checked(column: pl.Expr, name: str) -> pl.Expr:
    """Return an expression that raises an error if a column is not text.

    Polars learns the type of a result from a call with a few rows that are not real, and does not say which error that
    call raised. So what `_checked` feeds accepts every type, with nulls as its values.
    """
    check = partial(_check_type, name=name)
    return column.map_batches(check, return_dtype=pl.self_dtype(), is_elementwise=True)


def _check_type(series: pl.Series, name: str) -> pl.Series:
    """Return a series if it is text; raise an error otherwise."""
    if isinstance(series.dtype, _TEXT_TYPES):
        return series
    raise TypeError(f"uri.{name}() takes a column of type String, Binary, Categorical or Enum, not {series.dtype}")


def _run(series: pl.Series, function: Callable[[Any], Any]) -> pl.Series:
    """Apply a function of Arrow columns to a series."""
    return pl.Series(series.name, function(_to_arrow(series)))


def _to_arrow(series: pl.Series) -> pa.Array:
    """Return a series as an Arrow array, or as one of nulls if it is not text.

    Polars itself makes contiguous text of its views. pyarrow before 18 cannot, and pyarrow 26 crashes where views
    share bytes and the text would be larger than 2 GiB.
    """
    if not isinstance(series.dtype, _TEXT_TYPES):
        return pa.nulls(len(series))
    array = series.to_arrow(compat_level=pl.CompatLevel.oldest())
    small = _SMALL_TYPES.get(array.type)
    return array.cast(small) if small and array.nbytes < _MAX_SMALL_BYTES else array


def _take_component(column: Any, name: str) -> Any:
    """Split a column, and return one component."""
    [component] = arrow.split(column, [name]).flatten()
    return component


def _resolve(column: Any, base: ReferenceLike | Base[str] | Base[bytes], *, strict: bool) -> Any:
    """Resolve a column against one base."""
    return arrow.resolve(base, column, strict=strict)


def _resolve_by_row(columns: Sequence[pl.Series], *, strict: bool) -> pl.Series:
    """Resolve references against the bases in their rows; one value, on either side, is that of every row."""
    references, bases = columns
    if len(references) == 1:
        references = references.new_from_index(0, len(bases))
    elif len(bases) == 1:
        bases = bases.new_from_index(0, len(references))
    return _run(references, partial(arrow.resolve, _to_arrow(bases), strict=strict))
