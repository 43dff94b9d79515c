"""URI templates: the grammar of RFC 6570, run by an independent engine, and its own examples."""

import re
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import pytest
from abnf import Rule
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.grammars import ASCII_CHARACTERS, RFC6570, accepts, derive, distinguished_characters
from urisect.integrations import uri_templates
from urisect.integrations.uri_templates import is_valid, violations
from urisect.specs import diagnosis
from urisect.specs.abnf import ESCAPED

TEMPLATE = RFC6570("URI-Template")
randoms = st.randoms(use_true_random=True)

# At and beside the ends of ranges, and what a careless expression takes for a letter or a digit.
EDGES = "\x7f\x9f\xa0\u0660\ud7ff\ud800\udfff\ue000\uf8ff\uf900\ufdcf\ufdd0\ufdef\ufdf0\uffef\ufff0\uffff" + "".join(
    chr((plane << 16) + offset) for plane in range(1, 17) for offset in (0, 0xFFF, 0x1000, 0xFFFD, 0xFFFE)
)
CONFUSING = "\n\r\0²８éſ\u212a\u2028"


# The examples of the document.

EXAMPLES = re.findall(  # RFC 6570, 1.1, 1.2, 2.4 and 3.2
    r"\S+",
    """
http://www.example.com/foo{?query,number}
http://example.com/~{username}/ http://example.com/dictionary/{term:1}/{term} http://example.com/search{?q,lang}
{var} {hello} {+var} {+hello} {+path}/here here?ref={+path} X{#var} X{#hello}
map?{x,y} {x,hello,y} {+x,hello,y} {+path,x}/here {#x,hello,y} {#path,x}/here X{.var} X{.x,y} {/var} {/var,x}/here
{;x,y} {;x,y,empty} {?x,y} {?x,y,empty} ?fixed=yes{&x} {&x,y,empty}
{var:3} {var:30} {list} {list*} {keys} {keys*} {+path:6}/here {+list} {+list*} {+keys} {+keys*}
{#path:6}/here {#list} {#list*} {#keys} {#keys*} X{.var:3} X{.list} X{.list*} X{.keys} X{.keys*}
{/var:1,var} {/list} {/list*} {/list*,path:4} {/keys} {/keys*} {;hello:5} {;list} {;list*} {;keys} {;keys*}
{?var:3} {?list} {?list*} {?keys} {?keys*} {&var:3} {&list} {&list*} {&keys} {&keys*}
find{?year*} www{.dom*}
{count} {count*} {/count} {/count*} {;count} {;count*} {?count} {?count*} {&count*}
{half} O{empty}X O{undef}X ?{x,empty} ?{x,undef} ?{undef,y} '{var}'
{+half} {base}index {+base}index O{+empty}X O{+undef}X {+path,x}/here up{+path}{var}/here {+x,hello,y}
{#half} foo{#empty} foo{#undef} {#path:6}/here
{.who} {.who,who} {.half,who} www{.dom*} X{.var} X{.empty} X{.undef} X{.empty_keys} X{.empty_keys*}
{/who} {/who,who} {/half,who} {/who,dub} {/var,empty} {/var,undef} {/list*,path:4}
{;who} {;half} {;empty} {;v,empty,who} {;v,bar,who} {;x,y,empty} {;x,y,undef}
{?who} {?half} {?x,y,undef} {&who} {&half} {&x,y,empty} {&x,y,undef} http://example.com/home/{;keys*}
""",
)


@pytest.mark.parametrize("template", EXAMPLES)
def test_examples_of_the_document_are_valid(template: str) -> None:
    assert accepts(TEMPLATE, template)
    assert is_valid(template)
    assert violations(template) == ()


@pytest.mark.parametrize("template", ["", "a'b", "{a.b.c}", "{%41}", "{a%C3%A9_1}", "{v:9999}", "é{x}😀\ue000", "{0}"])
def test_valid_templates(template: str) -> None:
    assert is_valid(template)


@pytest.mark.parametrize("operator", "+#./;?&=,!@|")
def test_every_operator_of_the_grammar_is_valid_reserved_ones_too(operator: str) -> None:
    assert is_valid(f"{{{operator}var}}")
    assert not is_valid(f"{{{operator}}}")
    assert not is_valid(f"{{{operator}{operator}var}}")


@pytest.mark.parametrize(
    ("marked", "component", "section", "expected"),
    [
        ("/a‸ b", "literals", "2.1", "a letter"),
        ("/a‸}b", "literals", "2.1", "a letter"),
        ("/a%4‸", "literals", "1.5", "a hexadecimal digit"),
        ("/a%‸GG", "literals", "1.5", "a hexadecimal digit"),
        ("{‸}", "expression", "2.2", "a letter"),
        ("{term‸", "expression", "2.2", "a letter"),
        ("{a‸{b}", "expression", "2.2", "a letter"),
        ("{‸-a}", "expression", "2.2", "a letter"),
        ("{‸é}", "expression", "2.2", "a letter"),
        ("{a.‸.b}", "expression", "2.2", "a letter"),
        ("{a,‸,b}", "expression", "2.2", "a letter"),
        ("{a,‸}", "expression", "2.2", "a letter"),
        ("{,‸+a}", "expression", "2.2", "a letter"),
        ("{a‸=b}", "expression", "2.2", "a letter"),
        ("{a*‸:3}", "expression", "2.2", '"," or "}"'),
        ("{a:‸0}", "expression", "2.2", "one of 123456789"),
        ("{a:1000‸0}", "expression", "2.2", '"," or "}"'),
        ("{%4‸}", "expression", "1.5", "a hexadecimal digit"),
    ],
)  # fmt: skip
def test_a_violation_says_where_and_what_was_expected(marked: str, component: str, section: str, expected: str) -> None:
    template = marked.replace("‸", "")
    assert not accepts(TEMPLATE, template)
    [violation] = violations(template)
    assert (violation.offset, violation.component) == (marked.index("‸"), component)
    assert (violation.section, violation.title) == (section, "RFC 6570")
    assert violation.expected.startswith(expected)
    assert violation.incomplete is marked.endswith("‸")


def test_every_part_has_its_violations() -> None:
    assert [found.offset for found in violations("a b{c d}%zz{e")] == [1, 5, 9, 13]
    assert [(found.offset, found.length) for found in violations("é é\ufdd0\ufdd1\ue000}")] == [(1, 1), (3, 2), (6, 1)]
    assert str(violations("/{a:0}")[0]) == (
        'expression: "0" instead of one of 123456789 (RFC 6570, 2.2, expression)\n  /{a:0}\n      ^'
    )


# The grammar.

SETS = {"ucschar": "UCSCHAR", "iprivate": "IPRIVATE", "literals": "LITERAL_CHARACTERS"}

# Rules without a constant: parts of others.
COMPOSED = {"pct-encoded", "op-level2", "op-level3", "op-reserve", "prefix", "max-length", "explode"}


def find_expression(rule: Rule) -> str | None:
    """Return the expression of a rule, if it has a constant."""
    if rule.name in SETS:
        source = f"[{getattr(uri_templates, SETS[rule.name])}]"
        return rf"{source}|{ESCAPED}" if accepts(rule, "%AF") else source
    return getattr(uri_templates, rule.name.upper().replace("-", "_"), None)


RULES = [(rule, source) for rule in RFC6570.rules() if (source := find_expression(rule)) is not None]
for_every_rule = pytest.mark.parametrize(("rule", "source"), RULES, ids=[rule.name for rule, _ in RULES])


def disagreements(rule: Rule, source: str, texts: Iterable[str]) -> list[str]:
    """Return the texts on which a rule and its expression disagree."""
    match = re.compile(source).fullmatch
    return [text for text in texts if accepts(rule, text) is (match(text) is None)]


def edits(text: str, random: Random) -> Iterator[str]:
    """Yield texts with one character inserted, replaced or deleted at random."""
    for _ in range(6):
        at = random.randint(0, len(text))
        character = random.choice(random.choice(("{},.:*%1+a", ASCII_CHARACTERS, EDGES, CONFUSING)))
        yield text[:at] + random.choice(("", character, character + text[at : at + 1])) + text[at + 1 :]


def test_every_rule_has_a_constant_or_a_listed_reason() -> None:
    assert {rule.name for rule in RFC6570.rules()} == {rule.name for rule, _ in RULES} | COMPOSED


@for_every_rule
def test_every_rule_agrees_with_its_abnf_on_every_character(rule: Rule, source: str) -> None:
    assert disagreements(rule, source, (*ASCII_CHARACTERS, *EDGES, *CONFUSING)) == []


@for_every_rule
@settings(max_examples=sizes.choose(full=100, quick=10))
@given(random=randoms)
def test_every_rule_agrees_with_its_abnf(rule: Rule, source: str, random: Random) -> None:
    text = derive(rule, random)
    assert re.fullmatch(source, text)
    assert disagreements(rule, source, [text, *edits(text, random)]) == []


@pytest.mark.slow
def test_templates_agree_with_the_abnf_on_all_short_texts() -> None:
    texts = [
        *naive.strings(distinguished_characters(TEMPLATE), sizes.choose(full=3, quick=2)),
        *map("{{{}}}".format, naive.strings("a.,:*1%", sizes.choose(full=5, quick=3))),
        *naive.strings("{a}", sizes.choose(full=8, quick=6)),
    ]
    assert [text for text in texts if is_valid(text) is not accepts(TEMPLATE, text)] == []


@settings(max_examples=sizes.choose(full=500, quick=50))
@given(random=randoms)
def test_templates_agree_with_the_abnf_and_their_violations(random: Random) -> None:
    text = derive(TEMPLATE, random)
    for template in (text, *edits(text, random)):
        found = violations(template)
        assert is_valid(template) is accepts(TEMPLATE, template) is (found == ())
        assert [violation.offset for violation in found] == sorted(violation.offset for violation in found)


# Without the package `regex`, and in linear time.


@given(template=st.text("{a1.:,*%}é +"))
def test_re_alone_finds_the_same_violations(template: str) -> None:
    diagnosis.allowed_characters.cache_clear()
    diagnosis._skip_pattern.cache_clear()
    expected = violations(template)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnosis, "_viability_test", lambda: diagnosis._is_viable_by_completions)
        diagnosis.allowed_characters.cache_clear()
        diagnosis._skip_pattern.cache_clear()
        assert violations(template) == expected
    diagnosis.allowed_characters.cache_clear()
    diagnosis._skip_pattern.cache_clear()


@pytest.mark.parametrize("unit", ["{", "%", "{a,", "a.", "a", "{a}", "%41", "é", "{,", "}"])
def test_time_is_linear(unit: str) -> None:
    many = unit * (sizes.LONG_OF_MANY // 100)
    for template in (many, f"{{{many}", f"{many}{{"):
        assert is_valid(template) is (violations(template) == ())


@pytest.mark.parametrize("function", [is_valid, violations])
@pytest.mark.parametrize("template", [b"/a", None, 1])
def test_only_str_is_taken(function: Callable[[Any], object], template: object) -> None:
    with pytest.raises(TypeError, match=f"takes str, not {type(template).__name__}"):
        function(template)
