"""Who is measured beside `urisect.strict`, and whether they find the same references valid."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.peers import EVERYWHERE, GENERIC, NORMAL, Engine, accepts, reading, splitting
from urisect import strict
from urisect.specs import RFC3986, SPECIFICATIONS


def calling(validate: Callable[[Any], Any]) -> Engine:
    """Take a function that answers, or one that raises: neither is asked for anything else."""
    return splitting(validate)


def matching_whole(match: Callable[[Any], Any]) -> Engine:
    """Take a function that gives a match, or None for what is not valid."""
    return Engine(lambda reference: match(reference) is not None, calling(match).loop)


# Where an engine agrees on what is valid.
#
# Those that write the ABNF as one expression allow a newline at the end, for their "$" does, and leading zeros in the
# IPv4 address that ends an IPv6 address; they refuse an IPvFuture that begins with a capital "V".
AS_ABNF = r"(?!.*\[(?:V|[^]]*[:.]0\d)).*"
# rfc3986 encodes what is not allowed in path, query and fragment before it looks at them, and asks more than the
# grammar does of addresses and ports.
AS_RFC3986 = rf"(?!(?:[^/?#]*:)?//[^/?#]*(?:\[|\.\d|:\d{{5}})){GENERIC}"
# All generations agree on an ordinary web address, and on a space, which none allows. A parser as browsers have it
# allows almost anything, but no port with letters, which RFC 2396 and before read as part of a name.
WEB = rf"(?={GENERIC}\Z){NORMAL}"
AS_BROWSERS = rf"{WEB}|https?://[\w.\-]+:[a-z]+/.*"
AS_OTHER_GENERATIONS = rf"{WEB}|.* .*"


class Validator(NamedTuple):
    """An engine that validates, as it is declared.

    Attributes:
        name: what it is called in tables.
        module: what has to be installed.
        engine: finds it in the module.
        where: the references, whole, of which it should find those valid that urisect does.
    """

    name: str
    module: str
    engine: Callable[[ModuleType], Engine]
    where: str = EVERYWHERE

    def load(self) -> Engine:
        """Import it; ImportError says that it is not installed."""
        return self.engine(import_module(self.module))


# The least that a validation by the library's expression can cost in Python.
STRICT_FLOOR = Validator(
    "floor: fullmatch(u)", "re", lambda module: matching_whole(module.compile(RFC3986.pattern()).fullmatch)
)
STRICT_FLOOR_BYTES = STRICT_FLOOR._replace(
    engine=lambda module: matching_whole(module.compile(RFC3986.pattern().encode()).fullmatch)
)
REGEX = STRICT_FLOOR._replace(name="regex, the same expression", module="regex")
REGEX_BYTES = STRICT_FLOOR_BYTES._replace(name=REGEX.name, module="regex")
IS_VALID = Validator("urisect.strict.is_valid", "urisect.strict", lambda module: calling(module.is_valid))
STRICT_SPLIT = Validator("urisect.strict.split", "urisect.strict", lambda module: calling(module.split))


def _rfc3986(module: ModuleType) -> Engine:
    # As its documentation has it. To check the host is to check the whole authority, but the range of its port.
    components = ("scheme", "host", "path", "query", "fragment")
    validator = module.validators.Validator().check_validity_of(*components)
    return reading(module.uri_reference, validator.validate)


# None of the peers keeps an answer: rfc3987 looks up its expression, compiled, at each call, and that is all.
RFC3986_VALIDATOR = Validator("rfc3986.validators.Validator", "rfc3986", _rfc3986, AS_RFC3986)

STR = (
    STRICT_FLOOR,
    IS_VALID,
    STRICT_SPLIT,
    REGEX,
    RFC3986_VALIDATOR,
    Validator(
        "rfc3986_validator, URI",
        "rfc3986_validator",
        lambda module: matching_whole(module.validate_rfc3986),
        rf"[^:/?#]+:{AS_ABNF}",
    ),
    Validator(
        "rfc3986_validator, URI_reference",
        "rfc3986_validator",
        lambda module: matching_whole(partial(module.validate_rfc3986, rule="URI_reference")),
        AS_ABNF,
    ),
    Validator(
        "rfc3987.match, URI_reference",
        "rfc3987",
        lambda module: matching_whole(partial(module.match, rule="URI_reference")),
        AS_ABNF,
    ),
    Validator("pydantic_core.Url", "pydantic_core", lambda module: calling(module.Url), AS_BROWSERS),
)

BYTES = (STRICT_FLOOR_BYTES, IS_VALID, STRICT_SPLIT, REGEX_BYTES)

GENERATIONS = tuple(
    Validator(
        f"urisect.specs.{specification.name.upper()}.is_valid",
        "urisect.specs",
        partial(lambda specification, _: calling(specification.is_valid), specification),
        EVERYWHERE if specification is RFC3986 else AS_OTHER_GENERATIONS,
    )
    for specification in SPECIFICATIONS.values()
)

# Always compared, whatever the corpus holds: what is not valid is rare in some. Each engine agrees on one at least.
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


def validated(validator: Validator, engine: Engine, references: Sequence[Any]) -> int:
    """Compare what an engine finds valid with what urisect does where they should agree, and count it."""
    where = re.compile(validator.where, re.ASCII)
    answers = []
    for reference in references:
        text = reference if isinstance(reference, str) else reference.decode("latin-1")
        if where.fullmatch(text):
            answers.append(strict.is_valid(reference))
            refused = "refuses" if answers[-1] else "accepts"
            assert accepts(engine, reference) == answers[-1], f"{validator.name} {refused} {reference!r}"
    assert {*answers} == {True, False}, f"there is nothing that {validator.name} should accept, or nothing to refuse"
    return len(answers)
