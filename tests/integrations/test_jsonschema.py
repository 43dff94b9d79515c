"""Formats of JSON Schema, with jsonschema and jsonschema-rs: JSON Schema, Validation, 7.3.5 and 7.3.6."""

import subprocess
import sys
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive
from tests.support.references import references
from urisect import integrations
from urisect.integrations import uri_templates
from urisect.integrations.jsonschema import FORMATS, add_formats
from urisect.specs import RFC3986, RFC3987
from urisect.strict import InvalidURI

NAMES = ["uri", "uri-reference", "iri", "iri-reference", "uri-template"]
for_every_format = pytest.mark.parametrize("name", NAMES)

CHECKER = add_formats(jsonschema.FormatChecker())
VALIDATORS = {name: jsonschema.Draft202012Validator({"format": name}, format_checker=CHECKER) for name in NAMES}
RS_VALIDATORS = {
    name: jsonschema_rs.validator_for({"format": name}, formats=FORMATS, validate_formats=True) for name in NAMES
}
VIOLATIONS = {
    "uri": lambda text: RFC3986.violations(text, "URI"),
    "uri-reference": RFC3986.violations,
    "iri": lambda text: RFC3987.violations(text, "URI"),
    "iri-reference": RFC3987.violations,
    "uri-template": uri_templates.violations,
}

# The formats for which each text is valid.
ALL, REFERENCES, IRIS = (
    NAMES,
    ["uri-reference", "iri-reference", "uri-template"],
    ["iri", "iri-reference", "uri-template"],
)
CASES: dict[str, list[str]] = {
    "http://example.com/a?b=c#d(e)": ALL,
    "http://-.~_!$&'()*+,;=:%40:80%2f::@example.com": ALL,
    "http://[2001:db8::7]:8080/c=GB?one": ALL,
    "http://[::ffff:192.0.2.1]": ALL,
    "http://999.999.999.999:/": ALL,  # a registered name, and an empty port
    "http://@:80": ALL,
    "urn:example:a:b": ALL,
    "tel:+1-816-555-1212": ALL,
    "a:": ALL,
    "//example.com/?a#b": REFERENCES,
    "/a/b": REFERENCES,
    "a": REFERENCES,
    "": REFERENCES,
    "#fragment": REFERENCES,
    "http://ƒøø.example/?∂=π#ü": IRIS,
    "urn:例:😀": IRIS,
    "x:/?\ue000\U000f0000": IRIS,  # iprivate, in a query only
    "âππ": ["iri-reference", "uri-template"],
    "#ä": ["iri-reference", "uri-template"],
    "x:/\ue000": ["uri-template"],
    "{+path}é": ["uri-template"],
    "http://example.com/{a:1}/{b*}{?c,d}": ["uri-template"],
    "1a:b": ["uri-template"],
    "bar,baz:foo": ["uri-template"],
    "://a": ["uri-template"],
    "http://h:x/": ["uri-template"],
    "http://2001:db8::7": ["uri-template"],
    "http://[::1": ["uri-template"],
    "http://[::ffff:192.0.2.01]": ["uri-template"],
    "#a#b": ["uri-template"],
    **{f"http://a/{wrong}": [] for wrong in ("%", "%4", "%GG", " ", "\n", "\x7f", "\\", *'"<>^`{|}')},
    "\\\\server\\share": [],
    **{
        wrong: [] for wrong in ("{}", "{a", "{a,,b}", "{a,}", "{a:0}", "{a:01}", "{a:10000}", "{a..b}", "{a=b}", "{%4}")
    },
    "\ufdd0": [],
    "\ud800": [],
}


@for_every_format
@pytest.mark.parametrize("text", CASES)
def test_formats(name: str, text: str) -> None:
    valid = name in CASES[text]
    assert FORMATS[name](text) is valid
    assert VALIDATORS[name].is_valid(text) is valid
    if text != "\ud800":  # jsonschema-rs takes no lone surrogates
        assert RS_VALIDATORS[name].is_valid(text) is valid


@for_every_format
@given(text=naive.texts | references | st.text("a{:/.}[1]é%@ "))
def test_formats_are_the_grammars(name: str, text: str) -> None:
    violations = VIOLATIONS[name](text)
    assert FORMATS[name](text) is (violations == ())
    found = [*VALIDATORS[name].iter_errors(text)]
    assert len(found) == bool(violations)
    for error in found:
        assert isinstance(error.cause, InvalidURI)
        assert error.message == f"{text!r} is not a {name!r}"
        assert (error.cause.reference, error.cause.violations) == (text, violations)


@for_every_format
@pytest.mark.parametrize("value", [12, 13.7, {}, [], False, None])
def test_other_types_are_valid(name: str, value: Any) -> None:
    assert VALIDATORS[name].is_valid(value)
    assert RS_VALIDATORS[name].is_valid(value)
    assert FORMATS[name](value)


def test_the_cause_of_an_error_says_where() -> None:
    schema = {"type": "object", "properties": {"links": {"items": {"type": "string", "format": "uri"}}}}
    validator = jsonschema.Draft202012Validator(schema, format_checker=CHECKER)
    [error] = validator.iter_errors({"links": ["http://a/", "http://a/ b"]})
    assert error.json_path == "$.links[1]"
    assert error.cause.violations[0].offset == 9
    assert str(error.cause).startswith("path, offset 9: U+0020 (space) instead of")
    template = next(VALIDATORS["uri-template"].iter_errors("/{a:0}"))
    assert str(template.cause).endswith("instead of one of 123456789 (RFC 6570, 2.2, expression) in '/{a:0}'")


def test_only_the_given_checker_changes() -> None:
    before = dict(jsonschema.FormatChecker.checkers)
    checker = jsonschema.FormatChecker(["date"])
    assert add_formats(checker) is checker
    assert sorted(checker.checkers) == sorted(["date", *NAMES])
    assert jsonschema.FormatChecker.checkers == before
    assert "uri-template" not in jsonschema.FormatChecker(["date"]).checkers


def test_all_formats_are_there() -> None:
    assert list(FORMATS) == NAMES


def test_the_module_needs_no_jsonschema() -> None:
    program = "import sys; sys.modules['jsonschema'] = None; from urisect.integrations.jsonschema import FORMATS"
    subprocess.run([sys.executable, "-c", program], check=True)


# The package


def test_the_package_loads_its_modules_on_first_use() -> None:
    assert dir(integrations) == ["jsonschema", "pydantic", "scrapy", "uri_templates"]
    for name in ("jsonschema", "uri_templates"):
        assert getattr(integrations, name).__name__ == f"urisect.integrations.{name}"
    mistyped = "pydntic"
    with pytest.raises(AttributeError, match=f"'urisect.integrations' has no attribute '{mistyped}'; did you mean"):
        getattr(integrations, mistyped)
