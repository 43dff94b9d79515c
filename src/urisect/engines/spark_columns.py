"""Split, check, resolve, normalize and key columns of Spark: the Arrow kernel in the Python workers of the executors.

A column is one of string or binary, or its name; bytes are taken as UTF-8, as by a cast to string. Null stays null, and
no value raises an error. Spark tells the type of a column only while a query runs: the task then fails with a
TypeError if it is another one.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from urisect.arrow_packages import pa
from urisect.crawl import Profile, SuffixList
from urisect.engines import arrow
from urisect.engines.fields import FIELDS, check_fields
from urisect.extras import MissingExtraError
from urisect.normalization import Level
from urisect.specs import RFC3986, Specification

try:
    from pyspark.sql import Column
    from pyspark.sql.functions import arrow_udf
    from pyspark.sql.pandas.types import from_arrow_type
except ModuleNotFoundError:
    raise MissingExtraError("Spark", "pyspark", "spark") from None

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["hazards", "is_valid", "key", "normalize", "register", "resolve", "site", "split", "surt", "violations"]


def split(column: Column | str, fields: Iterable[str] = FIELDS) -> Column:
    """Split a column of references into components, as `urisect.split` splits each (RFC 3986, Appendix B).

    Args:
        column: the references.
        fields: the components and sub-components to return, from `FIELDS`; fewer are faster.

    Returns:
        A column of structs of strings, which are null where a component is undefined, and "" where it is empty.

    Raises:
        TypeError: the argument is neither a column nor a name.
        ValueError: there is no such field, a field is named twice, or none is named.

    >>> urls = spark.createDataFrame([("http://example.com:80/a b",)], "url string")  # doctest: +SKIP
    >>> urls.select(split("url", ["host", "port", "path", "query"]).alias("u")).select("u.*").show()  # doctest: +SKIP
    +-----------+----+----+-----+
    |       host|port|path|query|
    +-----------+----+----+-----+
    |example.com|  80|/a b| NULL|
    +-----------+----+----+-----+
    <BLANKLINE>
    """
    return _apply("split", partial(arrow.split, fields=check_fields(fields)), column)


def is_valid(column: Column | str, spec: Specification = RFC3986, rule: str = "URI-reference") -> Column:
    """Check a column of references by the grammar, as `strict.is_valid` checks each (RFC 3986, Appendix A).

    Args:
        column: the references.
        spec: the specification that decides what is valid.
        rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Returns:
        A column of booleans.

    Raises:
        TypeError: the argument is neither a column nor a name, or `spec` is not a `Specification`.
        ValueError: unknown rule.

    >>> urls = spark.createDataFrame([("http://example.com/",), ("a b",)], "url string")  # doctest: +SKIP
    >>> urls.where(~is_valid("url")).collect()  # doctest: +SKIP
    [Row(url='a b')]
    """
    return _apply("is_valid", partial(arrow.is_valid, spec=spec, rule=rule), column)


def violations(column: Column | str, spec: Specification = RFC3986, rule: str = "URI-reference") -> Column:
    """Find every place where a reference breaks a rule, as `strict.violations` does (RFC 3986, Appendix A).

    Args:
        column: the references.
        spec: the specification that decides what is valid.
        rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Returns:
        A column of arrays of structs with the attributes of `strict.Violation` and its message. Offsets and lengths
        count characters.

    Raises:
        TypeError: the argument is neither a column nor a name, or `spec` is not a `Specification`.
        ValueError: unknown rule.

    >>> urls = spark.createDataFrame([("http://a b/",)], "url string")  # doctest: +SKIP
    >>> found = urls.select(violations("url").alias("found"))  # doctest: +SKIP
    >>> found.selectExpr("inline(found)").select("component", "offset", "section").collect()  # doctest: +SKIP
    [Row(component='host', offset=8, section='3.2.2')]
    """
    return _apply("violations", partial(arrow.violations, spec=spec, rule=rule), column)


def normalize(column: Column | str, level: Level = "syntax") -> Column:
    """Normalize a column of references, as `urisect.normalize` normalizes each (RFC 3986, 6.2).

    Args:
        column: the references.
        level: "string", "syntax" or "scheme".

    Returns:
        A column of strings.

    Raises:
        TypeError: the argument is neither a column nor a name.
        ValueError: the level is unknown.

    >>> urls = spark.createDataFrame([("HTTP://example.com:80/%7Efred",)], "url string")  # doctest: +SKIP
    >>> urls.select(normalize("url", level="scheme").alias("url")).collect()  # doctest: +SKIP
    [Row(url='http://example.com/~fred')]
    """
    return _apply("normalize", partial(arrow.normalize, level=level), column)


def key(column: Column | str, profile: str | Profile = "request-1") -> Column:
    """Make the keys of a column of references, as `crawl.key` makes that of each (RFC 3986, 6.2).

    Args:
        column: the references.
        profile: a profile or its name.

    Returns:
        A column of strings.

    Raises:
        TypeError: the argument is neither a column nor a name.
        ValueError: there is no profile of this name.

    >>> urls = spark.createDataFrame([("HTTP://Example.com:80/%7efred#top",)], "url string")  # doctest: +SKIP
    >>> urls.select(key("url").alias("key")).collect()  # doctest: +SKIP
    [Row(key='http://example.com/~fred')]
    """
    return _apply("key", partial(arrow.key, profile=profile), column)


def surt(column: Column | str, *, keep_www: bool = False) -> Column:
    """Make the SURTs of a column of references, as `crawl.surt` makes that of each.

    Args:
        column: the references.
        keep_www: whether "www." stays.

    Returns:
        A column of strings.

    Raises:
        TypeError: the argument is neither a column nor a name.

    >>> urls = spark.createDataFrame([("http://www.example.com/a",)], "url string")  # doctest: +SKIP
    >>> urls.select(surt("url").alias("surt")).collect()  # doctest: +SKIP
    [Row(surt='com,example)/a')]
    """
    return _apply("surt", partial(arrow.surt, keep_www=keep_www), column)


def site(column: Column | str, *, suffixes: SuffixList | None = None) -> Column:
    """Find the sites of a column of references, as `crawl.site` finds that of each.

    Args:
        column: the references.
        suffixes: the list of public suffixes, which is sent to the workers; by default, each worker reads that of its
            package publicsuffixlist.

    Returns:
        A column of registered domains; null where the host is none, an IP address or a public suffix.

    Raises:
        TypeError: the argument is neither a column nor a name.
        MissingExtraError: no list is given, and a worker has not the extra `psl`; the task fails with it.

    >>> urls = spark.createDataFrame([("http://www.example.com/a",), ("/a",)], "url string")  # doctest: +SKIP
    >>> urls.select(site("url").alias("site")).collect()  # doctest: +SKIP
    [Row(site='example.com'), Row(site=None)]
    """
    return _apply("site", partial(arrow.site, suffixes=suffixes), column)


def resolve(base: Column | str, column: Column | str, *, strict: bool = True) -> Column:
    """Resolve a column of references, as `urisect.resolve` resolves each (RFC 3986, 5.2).

    Args:
        base: the base URI of all references, as text, or a column with the base URI of each.
        column: the references.
        strict: False ignores a scheme that equals that of the base.

    Returns:
        A column of targets. A target is null if its base, in a column of them, is null or has no scheme.

    Raises:
        TypeError: the base is neither a text nor a column, or the references are neither a column nor a name.
        ValueError: the one base has no scheme.

    >>> links = spark.createDataFrame([("http://example.com/a/b", "../c")], ["page", "link"])  # doctest: +SKIP
    >>> links.select(resolve(links.page, "link").alias("target")).collect()  # doctest: +SKIP
    [Row(target='http://example.com/c')]
    >>> links.select(resolve("http://example.com/", "link").alias("target")).collect()  # doctest: +SKIP
    [Row(target='http://example.com/c')]
    """
    if isinstance(base, Column):
        return _apply("resolve", partial(arrow.resolve, strict=strict), base, column)
    return _apply("resolve", partial(arrow.resolve, base, strict=strict), column)


def hazards(column: Column | str) -> Column:
    """Find what to know before references are dereferenced, as `urisect.hazards` does for each (RFC 3986, 7).

    Args:
        column: the references.

    Returns:
        A column of arrays of structs with the fields of `urisect.Hazard`. Offsets count characters.

    Raises:
        TypeError: the argument is neither a column nor a name.

    >>> urls = spark.createDataFrame([("http://127.1/",)], "url string")  # doctest: +SKIP
    >>> urls.select(hazards("url").code.alias("codes")).collect()  # doctest: +SKIP
    [Row(codes=['loopback-address', 'rare-ipv4'])]
    """
    return _apply("hazards", arrow.hazards, column)


def register(spark: "SparkSession") -> None:
    """Register temporary functions for SQL: `uri_split`, `uri_is_valid`, `uri_violations` and more.

    `uri_normalize`, `uri_resolve(base, reference)`, `uri_hazards`, `uri_key`, `uri_surt` and `uri_site` are the others.
    They do what the functions of this module do by default. `uri_resolve` returns null for a base without a scheme.

    Args:
        spark: the session that shall know the functions.

    Raises:
        AttributeError: the argument is not a session.

    >>> register(spark)  # doctest: +SKIP
    >>> spark.sql("SELECT uri_split('//h?').host AS host, uri_is_valid('a b') AS valid").collect()  # doctest: +SKIP
    [Row(host='h', valid=False)]
    """
    for function in (
        *(arrow.split, arrow.is_valid, arrow.violations, arrow.normalize, arrow.hazards),
        *(arrow.key, arrow.surt, arrow.site),
    ):
        name = f"uri_{function.__name__}"
        spark.udf.register(name, _user_defined(name, function))
    spark.udf.register("uri_resolve", _user_defined("uri_resolve", arrow.resolve, parameters=2))


def _apply(name: str, function: Callable[..., pa.Array], *columns: Column | str) -> Column:
    """Apply a function of Arrow arrays to columns."""
    return _user_defined(name, function, len(columns))(*columns)


def _user_defined(name: str, function: Callable[..., pa.Array], parameters: int = 1) -> Callable[..., Column]:
    """Make a function of columns from one of Arrow arrays.

    Calling it with empty arrays tells the type of its result, and raises the errors of arguments before a query runs.

    Args:
        name: the name that plans and columns show.
        function: a function of Arrow arrays of text.
        parameters: how many arrays it takes.
    """
    data_type = from_arrow_type(function(*[pa.array([], pa.string())] * parameters).type)
    return arrow_udf(_on_arrays(name, function), data_type)  # type: ignore[no-any-return]  # its types are not followed


def _on_arrays(name: str, function: Callable[..., pa.Array]) -> Callable[..., pa.Array]:
    """Make what workers call with the arrays of a batch from a function of arrays of text."""

    def on_arrays(*arrays: pa.Array) -> pa.Array:
        return function(*map(_to_text, arrays))

    on_arrays.__name__ = name
    return on_arrays


_TEXT_TYPES: Final = {pa.binary(): pa.string(), pa.large_binary(): pa.large_string()}


def _to_text(array: pa.Array) -> pa.Array:
    """View bytes as text, so that results that consist of text are strings, as Spark was told."""
    return array.view(_TEXT_TYPES[array.type]) if array.type in _TEXT_TYPES else array
