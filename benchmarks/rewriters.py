"""Who is measured beside `Base.resolve` and `normalize`, and whether they write the same URIs."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.corpora import PAGE
from benchmarks.peers import EVERYWHERE, GENERIC, Engine, reading
from benchmarks.validators import calling
from tests.support import naive
from urisect import Base, normalize
from urisect.text_types import to_str


class Rewriter(NamedTuple):
    """An engine that writes a URI in the place of a reference, as it is declared.

    Attributes:
        name: what it is called in tables.
        module: what has to be installed.
        engine: finds it in the module.
        answer: what it should write for a text; bytes are compared as text of as many characters.
        where: the references, whole, for which it should.
    """

    name: str
    module: str
    engine: Callable[[ModuleType], Engine]
    answer: Callable[[str], str]
    where: str = EVERYWHERE

    def load(self) -> Engine:
        """Import it; ImportError says that it is not installed."""
        return self.engine(import_module(self.module))


def rewritten(rewriter: Rewriter, engine: Engine, references: Sequence[Any]) -> int:
    """Compare what an engine writes with what it should write, and count that."""
    where = re.compile(rewriter.where, re.ASCII)
    compared = 0
    for reference in references:
        text = to_str(reference)
        if where.fullmatch(text):
            compared += 1
            answer, expected = to_str(engine.one(reference)), rewriter.answer(text)
            assert answer == expected, f"{rewriter.name} writes {answer!r} for {reference!r}, not {expected!r}"
    assert compared, f"there is nothing for which {rewriter.name} should write the same"
    return compared


# Where an engine resolves as urisect does.
#
# All that RFC 3986 allows, but "https:a", which a parser may read as "a" to serve old documents (5.2.2).
AS_RFC3986 = rf"(?!https?:(?!//)){GENERIC}"
# A parser as browsers have it encodes some characters, reads escaped dots as dots, and writes hosts in its own way.
AS_IN_PAGES = (
    r"(?!.*%2[Ee])(?:"
    r"(?:(?:https?:)?//(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]+(?=/)|(?![^/?#]*:|//))[\w\-.~!$&'()*+,;=:@/%]*"
    r"(?:\?[\w\-.~!$&()*+,;=:@/?%]*)?(?:#[\w\-.~!$&'()*+,;=:@/?%]*)?|mailto:[\w\-.@]+|tel:[\d\-+]+)"
)
# yarl drops an empty query and an empty fragment, and leaves dot segments where there is an authority. If it is not
# told that all is encoded, it encodes what is not, and decodes what need not be.
AS_YARL = rf"(?!.*(?:\?#|[?#]\Z))(?!(?:https?:)?//.*/\.){AS_IN_PAGES}"
AS_YARL_ENCODES = rf"(?!.*%(?!20|[89A-F][0-9A-F])){AS_YARL}"
# urllib drops and leaves the same, drops empty segments, too, and cuts parameters off the last one.
AS_URLLIB = rf"(?!(?>(?:https?:)?//|).*(?://|;)){AS_YARL}"


BASE = Base(PAGE)
OCTETS = PAGE.encode()

BASE_RESOLVE = Rewriter(
    "urisect.Base.resolve", "urisect", lambda module: calling(module.Base(PAGE).resolve), partial(naive.transform, PAGE)
)
BASE_RESOLVE_BYTES = BASE_RESOLVE._replace(engine=lambda module: calling(module.Base(OCTETS).resolve))
# It prepares the base for each reference.
RESOLVE = BASE_RESOLVE._replace(name="urisect.resolve", engine=lambda module: calling(partial(module.resolve, PAGE)))
RESOLVE_BYTES = RESOLVE._replace(engine=lambda module: calling(partial(module.resolve, OCTETS)))
# It keeps the last hundred references that it has split: the base, and none that comes again.
URLJOIN = Rewriter(
    "urllib.parse.urljoin",
    "urllib.parse",
    lambda module: calling(partial(module.urljoin, PAGE)),
    BASE.resolve,
    AS_URLLIB,
)
URLJOIN_BYTES = URLJOIN._replace(engine=lambda module: calling(partial(module.urljoin, OCTETS)))
CAN_ADA_JOIN = Rewriter(
    "can_ada.URL + reference",
    "can_ada",
    lambda module: reading(module.parse(PAGE).__add__, attrgetter("href")),
    BASE.resolve,
    AS_IN_PAGES,
)
URITOOLS_TRANSFORM = Rewriter(
    "uritools.SplitResult.transform",
    "uritools",
    lambda module: reading(module.urisplit(PAGE).transform, lambda target: target.geturi()),
    BASE.resolve,
    AS_RFC3986,
)
URITOOLS_JOIN = URITOOLS_TRANSFORM._replace(
    name="uritools.urijoin", engine=lambda module: calling(partial(module.urijoin, PAGE))
)


def _yarl_join(module: ModuleType, *, encoded: bool) -> Engine:
    join = module.URL(PAGE).join
    return reading(partial(module.URL, encoded=encoded), lambda url: str(join(url)))


YARL_JOIN = Rewriter("yarl.URL.join, encoded=True", "yarl", partial(_yarl_join, encoded=True), BASE.resolve, AS_YARL)

RESOLVERS = (
    BASE_RESOLVE,
    RESOLVE,
    URLJOIN,
    CAN_ADA_JOIN,
    # It takes no base but as text.
    Rewriter(
        "ada_url.join_url", "ada_url", lambda module: calling(partial(module.join_url, PAGE)), BASE.resolve, AS_IN_PAGES
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
        engine=lambda module: reading(module.urisplit(OCTETS).transform, lambda target: target.geturi())
    ),
    URITOOLS_JOIN._replace(engine=lambda module: calling(partial(module.urijoin, OCTETS))),
)


def web_address(
    path: str = r"\w\-.~!$&'()*+,;=:@/", escape: str = r"%(?:20|[89A-Fa-f][0-9A-Fa-f])", port: str = r"(?::[1-9]\d+)?"
) -> str:
    """Write the expression of web addresses whose path has some characters and some escapes, and nothing after it."""
    host = r"(?i:https?)://(?i:(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]+)"
    return rf"{host}{port}/(?:[{path}]|{escape})*"


# Where an engine writes web addresses in the normal form of level "scheme".
#
# A parser as browsers have it leaves escapes as they are, so they have to be normal.
NORMAL_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
AS_BROWSERS = (
    rf"{web_address(escape=NORMAL_ESCAPE)}"
    rf"(?:\?(?:[\w\-.~!$&()*+,;=:@/?]|{NORMAL_ESCAPE})*)?(?:#(?:[\w\-.~!$&'()*+,;=:@/?]|{NORMAL_ESCAPE})*)?"
)
# yarl and url_normalize decode all that they would not encode, and drop an empty query; url_normalize also drops
# empty segments, and the "." after a host.
AS_YARL_NORMALIZES = rf"{web_address()}(?:\?[\w\-.~=&]+)?"
AS_URL_NORMALIZE = rf"(?!.*//.*//){AS_YARL_NORMALIZES}"
# canonicalize_url leaves a default port, sorts the query and drops the fragment.
AS_W3LIB = web_address(r"\w\-.~/", r"%[0-9A-Fa-f]{2}", port="")
# courlan leaves escapes and dot segments, drops empty segments, sorts the query and what it thinks is for tracking, and
# decodes the host.
AS_COURLAN = r"(?!.*(?://.*//|/\.|(?i:xn--)))" + web_address(r"\w\-.~!=:,/", NORMAL_ESCAPE)

normal_by_scheme = partial(normalize, level="scheme")


def _by_scheme(module: ModuleType) -> Engine:
    normalize = module.normalize

    def loop(uris: Iterable[Any]) -> None:
        for uri in uris:
            normalize(uri, level="scheme")

    return Engine(partial(normalize, level="scheme"), loop)


NORMALIZE = Rewriter("urisect.normalize", "urisect", lambda module: calling(module.normalize), naive.normalize)
NORMALIZE_BYTES = NORMALIZE._replace(name="urisect.normalize, bytes")
# Measured on valid references, each of which is its own repair.
REPAIR = Rewriter("urisect.percent.repair", "urisect.percent", lambda module: calling(module.repair), str)
CANONICALIZE = Rewriter(
    "w3lib.url.canonicalize_url",
    "w3lib.url",
    lambda module: calling(module.canonicalize_url),
    normal_by_scheme,
    AS_W3LIB,
)
URL_NORMALIZE = Rewriter(
    "url_normalize.url_normalize",
    "url_normalize",
    lambda module: calling(module.url_normalize),
    normal_by_scheme,
    AS_URL_NORMALIZE,
)

NORMALIZERS = (
    NORMALIZE,
    Rewriter('urisect.normalize, level="scheme"', "urisect", _by_scheme, normal_by_scheme),
    Rewriter(
        "can_ada.parse",
        "can_ada",
        lambda module: reading(module.parse, attrgetter("href")),
        normal_by_scheme,
        AS_BROWSERS,
    ),
    Rewriter(
        "ada_url.normalize_url", "ada_url", lambda module: calling(module.normalize_url), normal_by_scheme, AS_BROWSERS
    ),
    Rewriter("yarl.URL", "yarl", lambda module: reading(module.URL, str), normal_by_scheme, AS_YARL_NORMALIZES),
    Rewriter(
        "courlan.normalize_url", "courlan", lambda module: calling(module.normalize_url), normal_by_scheme, AS_COURLAN
    ),
    CANONICALIZE,
    URL_NORMALIZE,
)
