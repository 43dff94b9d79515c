"""Check URI templates by the grammar of RFC 6570, all four levels; nothing is expanded.

The expressions are those of section 2, rule by rule; a rule comes after the rules that it uses.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from urisect.characters import IPRIVATE, UCSCHAR
from urisect.repetition import unrolled_loop, zero_or_more
from urisect.specs import RFC3987
from urisect.specs.abnf import ALPHA, ANY_TEXT, DIGIT, ESCAPED
from urisect.specs.diagnosis import ComponentRule, DiagnosedComponent, find_faults
from urisect.specs.violation import HEX_DIGITS, Violation, describe_characters

__all__ = ["is_valid", "violations"]

# literals = %x21 / %x23-24 / %x26-3B / %x3D / %x3F-5B / %x5D / %x5F / %x61-7A / %x7E / ucschar / iprivate / pct-encoded
# (2.1 as corrected by erratum 6937, which is verified: %x26-3B has "'", which 2.1 as printed leaves out)
LITERAL_CHARACTERS: Final = rf"\x21\x23\x24\x26-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e{UCSCHAR}{IPRIVATE}"
LITERALS: Final = unrolled_loop(f"[{LITERAL_CHARACTERS}]", ESCAPED)

# operator    = op-level2 / op-level3 / op-reserve
# op-level2   = "+" / "#"
# op-level3   = "." / "/" / ";" / "?" / "&"
# op-reserve  = "=" / "," / "!" / "@" / "|"  (2.2)
# The grammar has the last ones, so a template with them is valid, although nobody can expand it yet.
OPERATOR: Final = r"[+#./;?&=,!@|]"

# varchar = ALPHA / DIGIT / "_" / pct-encoded
# varname = varchar *( ["."] varchar )  (2.3)
VARCHAR: Final = rf"(?:[{ALPHA}{DIGIT}_]|{ESCAPED})"
VARNAME: Final = rf"{VARCHAR}{zero_or_more(rf'[.]?+{VARCHAR}')}"

# modifier-level4 = prefix / explode
# prefix          = ":" max-length
# max-length      = %x31-39 0*3DIGIT
# explode         = "*"  (2.4)
MODIFIER_LEVEL4: Final = rf"(?::[1-9][{DIGIT}]{{0,3}}|\*)"

# varspec       = varname [ modifier-level4 ]
# variable-list = varspec *( "," varspec )  (2.3)
VARSPEC: Final = rf"{VARNAME}(?>{MODIFIER_LEVEL4}|)"
VARIABLE_LIST: Final = rf"{VARSPEC}{zero_or_more(f',{VARSPEC}')}"

# expression = "{" [ operator ] variable-list "}"  (2.2)
EXPRESSION: Final = rf"\{{{OPERATOR}?+{VARIABLE_LIST}\}}"

# URI-Template = *( literals / expression )  (2)
URI_TEMPLATE: Final = unrolled_loop(f"[{LITERAL_CHARACTERS}]", ESCAPED, EXPRESSION)

_LITERALS_RULE: Final = ComponentRule("literals", "2.1", LITERALS)
_EXPRESSION_RULE: Final = ComponentRule("expression", "2.2", EXPRESSION, ANY_TEXT)


def is_valid(template: str) -> bool:
    """Return whether a text is a URI template by the grammar (RFC 6570, 2).

    The operators that section 2.2 reserves for extensions (`=`, `,`, `!`, `@` and `|`) are valid. So is an apostrophe
    (erratum 6937).

    Args:
        template: the text.

    Raises:
        TypeError: the template is not str.

    >>> is_valid("http://example.com/{term:1}/{term}{?q*,lang}"), is_valid("http://example.com/{term")
    (True, False)
    """
    if not isinstance(template, str):
        raise TypeError(f"is_valid() takes str, not {type(template).__name__}")
    return _compiled().fullmatch(template) is not None


def violations(template: str) -> tuple[Violation, ...]:
    """Find every place where a text breaks the grammar of URI templates (RFC 6570, 2).

    Args:
        template: the text.

    Returns:
        The violations by offset; empty if the template is valid. Their component is "literals" or "expression".

    Raises:
        TypeError: the template is not str.

    >>> for violation in violations("/{term:0}/{a"):
    ...     print(violation)
    expression: "0" instead of one of 123456789 (RFC 6570, 2.2, expression)
      /{term:0}/{a
             ^
    expression: the end instead of a letter, a digit or one of %*,.:_} (RFC 6570, 2.2, expression)
      /{term:0}/{a
                  ^
    """
    if is_valid(template):
        return ()
    found = []
    for component, rule, start, end in _parts(template):
        for offset, length, expected in find_faults(rule, template, start, end, RFC3987.beyond_ascii):
            name, section = rule.name, rule.section
            if expected == HEX_DIGITS:
                name, section = "pct-encoded", "1.5"
            words = describe_characters(expected, RFC3987.beyond_ascii) or f"the end of the {component}"
            is_end = offset == len(template)
            violation = Violation(component, name, offset, length, words, section, is_end, template, "RFC 6570")
            found.append(violation)
    return tuple(found)


def _parts(template: str) -> Iterator[DiagnosedComponent]:
    """Split any text into literals and expressions; an expression ends at its "}", or before the next "{"."""
    for part in re.finditer(r"\{[^{}]*+\}?+|[^{]++", template):
        component, rule = ("expression", _EXPRESSION_RULE) if part[0][0] == "{" else ("literals", _LITERALS_RULE)
        yield DiagnosedComponent(component, rule, *part.span())


@cache
def _compiled() -> re.Pattern[str]:
    return re.compile(URI_TEMPLATE)
