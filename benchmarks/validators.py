"""Libraries that validate references, and a check that they agree with `urisect.strict`."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.engines import (
    EVERYWHERE,
    GENERIC_URIS,
    NORMAL_WEB_ADDRESSES,
    Engine,
    accepts,
    fullmatch_engine,
    function_engine,
    parser_engine,
)
from urisect import strict
from urisect.specs import RFC3986, SPECIFICATIONS

__all__ = [
    "BYTES",
    "GENERATIONS",
    "INVALID",
    "IS_VALID",
    "REGEX",
    "RFC3986_VALIDATOR",
    "STR",
    "STRICT_FLOOR",
    "STRICT_SPLIT",
    "Validator",
    "check_validity",
]

# Expressions for references on which an engine agrees with urisect.
#
# Libraries with one expression for the ABNF accept a newline at the end (by "$"), and leading zeros in the IPv4 address
# at the end of an IPv6 address; they refuse an IPvFuture with a capital "V".
AS_ABNF = r"(?!.*\[(?:V|[^]]*[:.]0\d)).*"
# The package rfc3986 encodes invalid characters in path, query and fragment before it validates them, and is stricter
# than the grammar with addresses and ports.
AS_RFC3986_PACKAGE = rf"(?!(?:[^/?#]*:)?//[^/?#]*(?:\[|\.\d|:\d{{5}})){GENERIC_URIS}"
# All generations accept ordinary web addresses and refuse spaces. Parsers that follow browsers accept almost anything,
# but refuse letters in a port, which RFC 2396 and the older draft accept as a part of a registered name.
WEB = rf"(?={GENERIC_URIS}\Z){NORMAL_WEB_ADDRESSES}"
AS_BROWSERS_VALIDATE = rf"{WEB}|https?://[\w.\-]+:[a-z]+/.*"
AS_OTHER_GENERATIONS = rf"{WEB}|.* .*"


class Validator(NamedTuple):
    """A function that validates references.

    Attributes:
        name: its name in the tables.
        module: the module that must be installed.
        engine: makes the engine from the module.
        agrees_on: the expression of references on which it should agree with urisect.
    """

    name: str
    module: str
    engine: Callable[[ModuleType], Engine]
    agrees_on: str = EVERYWHERE

    def load(self) -> Engine:
        """Import the library; ImportError means that it is not installed."""
        return self.engine(import_module(self.module))


# The least time that a validation with this expression can take in Python.
STRICT_FLOOR = Validator(
    "floor: fullmatch(u)", "re", lambda module: fullmatch_engine(module.compile(RFC3986.pattern()).fullmatch)
)
STRICT_FLOOR_BYTES = STRICT_FLOOR._replace(
    engine=lambda module: fullmatch_engine(module.compile(RFC3986.pattern().encode()).fullmatch)
)
REGEX = STRICT_FLOOR._replace(name="regex, the same expression", module="regex")
REGEX_BYTES = STRICT_FLOOR_BYTES._replace(name=REGEX.name, module="regex")
IS_VALID = Validator("urisect.strict.is_valid", "urisect.strict", lambda module: function_engine(module.is_valid))
STRICT_SPLIT = Validator("urisect.strict.split", "urisect.strict", lambda module: function_engine(module.split))


def _rfc3986(module: ModuleType) -> Engine:
    # As in its documentation. Checking the host checks the whole authority, except the range of the port.
    components = ("scheme", "host", "path", "query", "fragment")
    validator = module.validators.Validator().check_validity_of(*components)
    return parser_engine(module.uri_reference, validator.validate)


# No peer caches answers; rfc3987 caches only its compiled expression.
RFC3986_VALIDATOR = Validator("rfc3986.validators.Validator", "rfc3986", _rfc3986, AS_RFC3986_PACKAGE)

STR = (
    STRICT_FLOOR,
    IS_VALID,
    STRICT_SPLIT,
    REGEX,
    RFC3986_VALIDATOR,
    Validator(
        "rfc3986_validator, URI",
        "rfc3986_validator",
        lambda module: fullmatch_engine(module.validate_rfc3986),
        rf"[^:/?#]+:{AS_ABNF}",
    ),
    Validator(
        "rfc3986_validator, URI_reference",
        "rfc3986_validator",
        lambda module: fullmatch_engine(partial(module.validate_rfc3986, rule="URI_reference")),
        AS_ABNF,
    ),
    Validator(
        "rfc3987.match, URI_reference",
        "rfc3987",
        lambda module: fullmatch_engine(partial(module.match, rule="URI_reference")),
        AS_ABNF,
    ),
    Validator("pydantic_core.Url", "pydantic_core", lambda module: function_engine(module.Url), AS_BROWSERS_VALIDATE),
)

BYTES = (STRICT_FLOOR_BYTES, IS_VALID, STRICT_SPLIT, REGEX_BYTES)

GENERATIONS = tuple(
    Validator(
        f"urisect.specs.{specification.name.upper()}.is_valid",
        "urisect.specs",
        partial(lambda specification, _: function_engine(specification.is_valid), specification),
        EVERYWHERE if specification is RFC3986 else AS_OTHER_GENERATIONS,
    )
    for specification in SPECIFICATIONS.values()
)

# Invalid references may be rare in a corpus, so these are always compared. Every engine agrees on at least one.
INVALID = (
    "http://www.example.com:port/",
    "http://www.example.com/a b",
    "http://www.example.com/%zz",
    "http://www.example.com/[1]",
    "http://www.example.com/#1#2",
    "http://[::g]/",
    "http://[1::2::3]/",
    "1st://www.example.com/",
    "http://www.example.com/caf\xe9",
)


def check_validity(validator: Validator, engine: Engine, references: Sequence[Any]) -> int:
    """Assert that an engine agrees with `strict.is_valid` where it should, and count the comparisons."""
    agrees_on = re.compile(validator.agrees_on, re.ASCII)
    answers = []
    for reference in references:
        text = reference if isinstance(reference, str) else reference.decode("latin-1")
        if agrees_on.fullmatch(text):
            answers.append(strict.is_valid(reference))
            refused = "refuses" if answers[-1] else "accepts"
            assert accepts(engine, reference) == answers[-1], f"{validator.name} {refused} {reference!r}"
    assert {*answers} == {True, False}, (
        f"no reference that {validator.name} should accept, or none that it should refuse"
    )
    return len(answers)
