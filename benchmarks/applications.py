"""What programs do with single references: change them, read queries, check forms, take IRIs; and other libraries."""

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.engines import Engine, fullmatch_engine, function_engine
from benchmarks.tasks import SLOW, Candidate, Task, one_by_one
from urisect import iri, split, web

__all__ = ["CHECK_FORM", "TASKS", "Inputs"]


# Change a part, from text to text: what a program has, and what it sends. Each URL occurs once, so that no cache
# helps. yarl and furl decode and encode what they find, and drop an empty query or fragment.

PORT = 8443
PLAIN = r"(?!.*/\.)https?://[a-z0-9.\-]+/[\w\-./]*(?:\?[\w\-.=&]+)?"


def _replace(module: ModuleType) -> Engine:
    split = module.split
    return function_engine(lambda text: str(split(text).replace(port=PORT)))


def _yarl_with_port(module: ModuleType) -> Engine:
    URL = module.URL  # noqa: N806  a class
    return function_engine(lambda text: str(URL(text).with_port(PORT)))


def _furl_set_port(module: ModuleType) -> Engine:
    furl = module.furl
    return function_engine(lambda text: furl(text).set(port=PORT).url)


REPLACE = Candidate("urisect.Reference.replace", "urisect", _replace, "Reference.replace")
YARL_WITH_PORT = Candidate("yarl.URL.with_port", "yarl", _yarl_with_port, "yarl with_port", PLAIN)
FURL_SET = Candidate("furl.furl.set", "furl", _furl_set_port, "furl set", PLAIN, SLOW)

# Parse a query, as a form sends it. For other libraries, a parameter without "=" has an empty value.

WITH_VALUES = r"(?:[^&=%]+=(?:[^&=%]|%[0-7][0-9A-F])*&?)+"
PARSE_QUERY = Candidate(
    "urisect.query.parse", "urisect.query", lambda module: one_by_one(module.parse, form=True), "query.parse"
)
PARSE_QSL = Candidate(
    "urllib.parse.parse_qsl",
    "urllib.parse",
    lambda module: one_by_one(module.parse_qsl, keep_blank_values=True),
    "parse_qsl",
    WITH_VALUES,
)

# Set a parameter, from text to text.


def _yarl_update_query(module: ModuleType) -> Engine:
    URL = module.URL  # noqa: N806  a class
    return function_engine(lambda text: str(URL(text).update_query({"page": 7})))


WITHOUT_PAGE = r"(?!.*[?&]page=.*&)" + PLAIN.replace(r"[\w\-.=&]+", r"\w+=[\w\-.]+(?:&\w+=[\w\-.]+)*")
SET_PARAMETER = Candidate(
    "urisect.query.set", "urisect.query", lambda module: one_by_one(module.set, {"page": 7}), "query.set"
)
YARL_UPDATE_QUERY = Candidate("yarl.URL.update_query", "yarl", _yarl_update_query, "yarl update_query", WITHOUT_PAGE)
W3LIB_SET = Candidate(
    "w3lib.url.add_or_replace_parameter",
    "w3lib.url",
    lambda module: one_by_one(module.add_or_replace_parameter, "page", "7"),
    "w3lib add_or_replace_parameter",
    WITHOUT_PAGE,
    SLOW,
)

# Check a web address from a form.

ADDRESS_OF_FORM = r"https?://(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+(?:example|test|com|org|net)/[\w\-./]*"
CHECK_FORM = Candidate(
    "urisect.web.is_valid", "urisect.web", lambda module: function_engine(module.is_valid), "web.is_valid"
)
VALIDATORS_URL = Candidate(
    "validators.url",
    "validators",
    lambda module: Engine(lambda text: module.url(text) is True, function_engine(module.url).run_all),
    "validators.url",
    ADDRESS_OF_FORM,
    SLOW,
)


def _django_validator(module: ModuleType) -> Engine:
    validate = module.URLValidator(schemes=["http", "https"])
    return Engine(lambda text: validate(text) is None, function_engine(validate).run_all)


DJANGO_VALIDATOR = Candidate(
    "django.core.validators.URLValidator",
    "django.core.validators",
    _django_validator,
    "Django URLValidator",
    ADDRESS_OF_FORM,
)

# Convert an IRI to a URI, all percent-encoded.

CONVERT = Candidate("urisect.iri.to_uri", "urisect.iri", lambda module: function_engine(module.to_uri), "iri.to_uri")
DJANGO_IRI_TO_URI = Candidate(
    "django.utils.encoding.iri_to_uri",
    "django.utils.encoding",
    lambda module: function_engine(module.iri_to_uri),
    "Django iri_to_uri",
)

# Validate a list with pydantic, the whole list at once, as a field of a model.


def _adapter(kind: Any) -> Engine:
    validate = import_module("pydantic").TypeAdapter(list[kind]).validate_python
    return Engine(lambda text: len(validate([text])) == 1, validate)


PYDANTIC_URI = Candidate(
    "urisect.integrations.pydantic.URI",
    "urisect.integrations.pydantic",
    lambda module: _adapter(module.URI),
    "pydantic, URI",
)
ANY_URL = Candidate("pydantic.AnyUrl", "pydantic", lambda module: _adapter(module.AnyUrl), "AnyUrl")

# Check formats of JSON Schema; the peers are what `jsonschema[format-nongpl]` installs for them.

URI_FORMAT = Candidate(
    "urisect.integrations.jsonschema, uri",
    "urisect.integrations.jsonschema",
    lambda module: function_engine(module.FORMATS["uri"]),
    "jsonschema, uri",
)
IRI_FORMAT = Candidate(
    "urisect.integrations.jsonschema, iri",
    "urisect.integrations.jsonschema",
    lambda module: function_engine(module.FORMATS["iri"]),
    "jsonschema, iri",
)
RFC3986_VALIDATOR = Candidate(
    "rfc3986_validator.validate_rfc3986",
    "rfc3986_validator",
    lambda module: fullmatch_engine(module.validate_rfc3986),
    "rfc3986_validator",
)
# It takes 20 ms for one.
RFC3987_SYNTAX = Candidate(
    "rfc3987_syntax.is_valid_syntax",
    "rfc3987_syntax",
    lambda module: function_engine(partial(module.is_valid_syntax, "iri")),
    "rfc3987_syntax",
    most_inputs=5,
)


class Inputs(NamedTuple):
    """What the tasks are measured on, derived from a list of URLs."""

    urls: list[str]
    queries: list[str]
    iris: list[str]

    @classmethod
    def of(cls, urls: Iterable[str]) -> "Inputs":
        """Select the web addresses among URLs, and derive the other inputs from them."""
        addresses = [url for url in urls if web.is_valid(url)]
        queries = [query for url in addresses if (query := split(url).query)]
        return cls(addresses, queries, [each for each in map(iri.to_iri, addresses) if not each.isascii()])


TASKS = (
    Task("change a port", REPLACE, (YARL_WITH_PORT, FURL_SET)),
    Task("parse a query", PARSE_QUERY, (PARSE_QSL,), "queries", "query string"),
    Task("set a parameter", SET_PARAMETER, (YARL_UPDATE_QUERY, W3LIB_SET)),
    Task("check a web address", CHECK_FORM, (VALIDATORS_URL, DJANGO_VALIDATOR)),
    Task("convert an IRI", CONVERT, (DJANGO_IRI_TO_URI,), "iris", "IRI"),
    Task("validate in pydantic", PYDANTIC_URI, (ANY_URL,)),
    Task("check a URI for JSON Schema", URI_FORMAT, (RFC3986_VALIDATOR,)),
    Task("check an IRI for JSON Schema", IRI_FORMAT, (RFC3987_SYNTAX,), "iris", "IRI"),
)
