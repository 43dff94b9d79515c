"""Libraries that resolve and normalize, and a check that they return the same URIs as urisect."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.corpora import PAGE
from benchmarks.engines import EVERYWHERE, GENERIC_URIS, Engine, function_engine, parser_engine
from tests.support import naive
from urisect import Base, normalize
from urisect.text_types import to_str

__all__ = [
    "BASE_RESOLVE",
    "BASE_RESOLVE_BYTES",
    "CANONICALIZE",
    "CAN_ADA_JOIN",
    "NORMALIZE",
    "NORMALIZERS",
    "NORMALIZE_BYTES",
    "REPAIR",
    "RESOLVE",
    "RESOLVERS",
    "RESOLVERS_OF_BYTES",
    "URLJOIN",
    "URLJOIN_BYTES",
    "URL_NORMALIZE",
    "YARL_JOIN",
    "Rewriter",
    "check_rewrites",
]


class Rewriter(NamedTuple):
    """A function that turns a reference into a URI.

    Attributes:
        name: its name in the tables.
        module: the module that must be installed.
        engine: makes the engine from the module.
        answer: returns the expected URI of a reference; bytes are compared as Latin-1 text.
        agrees_on: the expression of references on which it should return this URI.
    """

    name: str
    module: str
    engine: Callable[[ModuleType], Engine]
    answer: Callable[[str], str]
    agrees_on: str = EVERYWHERE

    def load(self) -> Engine:
        """Import the library; ImportError means that it is not installed."""
        return self.engine(import_module(self.module))


def check_rewrites(rewriter: Rewriter, engine: Engine, references: Sequence[Any]) -> int:
    """Assert that an engine returns the expected URIs, and count the comparisons."""
    agrees_on = re.compile(rewriter.agrees_on, re.ASCII)
    compared = 0
    for reference in references:
        text = to_str(reference)
        if agrees_on.fullmatch(text):
            compared += 1
            answer, expected = to_str(engine.run(reference)), rewriter.answer(text)
            assert answer == expected, f"{rewriter.name} returns {answer!r} for {reference!r}, not {expected!r}"
    assert compared, f"no reference on which {rewriter.name} should agree"
    return compared


# Expressions for references that an engine resolves as urisect does.
#
# Everything in RFC 3986 except "https:a", which a parser may read as "a" for old documents (5.2.2).
AS_URITOOLS = rf"(?!https?:(?!//)){GENERIC_URIS}"
# Parsers that follow browsers encode some characters, treat escaped dots as dots, and normalize hosts.
AS_BROWSERS_RESOLVE = (
    r"(?!.*%2[Ee])(?:"
    r"(?:(?:https?:)?//(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]+(?=/)|(?![^/?#]*:|//))[\w\-.~!$&'()*+,;=:@/%]*"
    r"(?:\?[\w\-.~!$&()*+,;=:@/?%]*)?(?:#[\w\-.~!$&'()*+,;=:@/?%]*)?|mailto:[\w\-.@]+|tel:[\d\-+]+)"
)
# yarl drops an empty query and fragment, and keeps dot segments after an authority. Without encoded=True, it also
# encodes invalid characters and decodes unnecessary escapes.
AS_YARL = rf"(?!.*(?:\?#|[?#]\Z))(?!(?:https?:)?//.*/\.){AS_BROWSERS_RESOLVE}"
AS_YARL_ENCODES = rf"(?!.*%(?!20|[89A-F][0-9A-F])){AS_YARL}"
# urllib does the same, and also drops empty segments and the parameters of the last segment.
AS_URLLIB = rf"(?!(?>(?:https?:)?//|).*(?://|;)){AS_YARL}"


BASE = Base(PAGE)
PAGE_BYTES = PAGE.encode()

BASE_RESOLVE = Rewriter(
    "urisect.Base.resolve",
    "urisect",
    lambda module: function_engine(module.Base(PAGE).resolve),
    partial(naive.transform, PAGE),
)
BASE_RESOLVE_BYTES = BASE_RESOLVE._replace(engine=lambda module: function_engine(module.Base(PAGE_BYTES).resolve))
# Parses the base again for each reference.
RESOLVE = BASE_RESOLVE._replace(
    name="urisect.resolve", engine=lambda module: function_engine(partial(module.resolve, PAGE))
)
RESOLVE_BYTES = RESOLVE._replace(engine=lambda module: function_engine(partial(module.resolve, PAGE_BYTES)))
# Its cache holds a hundred references: the base, but no reference twice.
URLJOIN = Rewriter(
    "urllib.parse.urljoin",
    "urllib.parse",
    lambda module: function_engine(partial(module.urljoin, PAGE)),
    BASE.resolve,
    AS_URLLIB,
)
URLJOIN_BYTES = URLJOIN._replace(engine=lambda module: function_engine(partial(module.urljoin, PAGE_BYTES)))
CAN_ADA_JOIN = Rewriter(
    "can_ada.URL + reference",
    "can_ada",
    lambda module: parser_engine(module.parse(PAGE).__add__, attrgetter("href")),
    BASE.resolve,
    AS_BROWSERS_RESOLVE,
)
URITOOLS_TRANSFORM = Rewriter(
    "uritools.SplitResult.transform",
    "uritools",
    lambda module: parser_engine(module.urisplit(PAGE).transform, lambda target: target.geturi()),
    BASE.resolve,
    AS_URITOOLS,
)
URITOOLS_JOIN = URITOOLS_TRANSFORM._replace(
    name="uritools.urijoin", engine=lambda module: function_engine(partial(module.urijoin, PAGE))
)


def _yarl_join(module: ModuleType, *, encoded: bool) -> Engine:
    join = module.URL(PAGE).join
    return parser_engine(partial(module.URL, encoded=encoded), lambda url: str(join(url)))


YARL_JOIN = Rewriter("yarl.URL.join, encoded=True", "yarl", partial(_yarl_join, encoded=True), BASE.resolve, AS_YARL)

RESOLVERS = (
    BASE_RESOLVE,
    RESOLVE,
    URLJOIN,
    CAN_ADA_JOIN,
    # It parses the base for each reference.
    Rewriter(
        "ada_url.join_url",
        "ada_url",
        lambda module: function_engine(partial(module.join_url, PAGE)),
        BASE.resolve,
        AS_BROWSERS_RESOLVE,
    ),
    YARL_JOIN,
    Rewriter("yarl.URL.join", "yarl", partial(_yarl_join, encoded=False), BASE.resolve, AS_YARL_ENCODES),
    URITOOLS_TRANSFORM,
    URITOOLS_JOIN,
)

RESOLVERS_OF_BYTES = (
    BASE_RESOLVE_BYTES,
    RESOLVE_BYTES,
    URLJOIN_BYTES,
    URITOOLS_TRANSFORM._replace(
        engine=lambda module: parser_engine(module.urisplit(PAGE_BYTES).transform, lambda target: target.geturi())
    ),
    URITOOLS_JOIN._replace(engine=lambda module: function_engine(partial(module.urijoin, PAGE_BYTES))),
)


def web_address(
    path: str = r"\w\-.~!$&'()*+,;=:@/", escape: str = r"%(?:20|[89A-Fa-f][0-9A-Fa-f])", port: str = r"(?::[1-9]\d+)?"
) -> str:
    """Return the expression of web addresses that end in a path of the given characters and escapes."""
    host = r"(?i:https?)://(?i:(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]+)"
    return rf"{host}{port}/(?:[{path}]|{escape})*"


# Expressions for web addresses that an engine normalizes as urisect does with level "scheme".
#
# Parsers that follow browsers keep escapes, so these must be normal already.
NORMAL_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
AS_BROWSERS_NORMALIZE = (
    rf"{web_address(escape=NORMAL_ESCAPE)}"
    rf"(?:\?(?:[\w\-.~!$&()*+,;=:@/?]|{NORMAL_ESCAPE})*)?(?:#(?:[\w\-.~!$&'()*+,;=:@/?]|{NORMAL_ESCAPE})*)?"
)
# yarl and url_normalize decode every escape of a character that they do not encode, and drop an empty query.
# url_normalize also drops empty segments, and the "." after a host.
AS_YARL_NORMALIZES = rf"{web_address()}(?:\?[\w\-.~=&]+)?"
AS_URL_NORMALIZE = rf"(?!.*//.*//){AS_YARL_NORMALIZES}"
# canonicalize_url keeps a default port, sorts the query and drops the fragment.
AS_W3LIB = web_address(r"\w\-.~/", r"%[0-9A-Fa-f]{2}", port="")
# courlan keeps escapes and dot segments, drops empty segments and parameters for tracking, sorts the query, and decodes
# the host.
AS_COURLAN = r"(?!.*(?://.*//|/\.|(?i:xn--)))" + web_address(r"\w\-.~!=:,/", NORMAL_ESCAPE)

normal_by_scheme = partial(normalize, level="scheme")


def _by_scheme(module: ModuleType) -> Engine:
    normalize = module.normalize

    def loop(uris: Iterable[Any]) -> None:
        for uri in uris:
            normalize(uri, level="scheme")

    return Engine(partial(normalize, level="scheme"), loop)


NORMALIZE = Rewriter("urisect.normalize", "urisect", lambda module: function_engine(module.normalize), naive.normalize)
NORMALIZE_BYTES = NORMALIZE._replace(name="urisect.normalize, bytes")
# Measured on valid references, which it returns unchanged.
REPAIR = Rewriter("urisect.percent.repair", "urisect.percent", lambda module: function_engine(module.repair), str)
CANONICALIZE = Rewriter(
    "w3lib.url.canonicalize_url",
    "w3lib.url",
    lambda module: function_engine(module.canonicalize_url),
    normal_by_scheme,
    AS_W3LIB,
)
URL_NORMALIZE = Rewriter(
    "url_normalize.url_normalize",
    "url_normalize",
    lambda module: function_engine(module.url_normalize),
    normal_by_scheme,
    AS_URL_NORMALIZE,
)

NORMALIZERS = (
    NORMALIZE,
    Rewriter('urisect.normalize, level="scheme"', "urisect", _by_scheme, normal_by_scheme),
    Rewriter(
        "can_ada.parse",
        "can_ada",
        lambda module: parser_engine(module.parse, attrgetter("href")),
        normal_by_scheme,
        AS_BROWSERS_NORMALIZE,
    ),
    Rewriter(
        "ada_url.normalize_url",
        "ada_url",
        lambda module: function_engine(module.normalize_url),
        normal_by_scheme,
        AS_BROWSERS_NORMALIZE,
    ),
    Rewriter("yarl.URL", "yarl", lambda module: parser_engine(module.URL, str), normal_by_scheme, AS_YARL_NORMALIZES),
    Rewriter(
        "courlan.normalize_url",
        "courlan",
        lambda module: function_engine(module.normalize_url),
        normal_by_scheme,
        AS_COURLAN,
    ),
    CANONICALIZE,
    URL_NORMALIZE,
)
