"""Types of pydantic: the values are those that were given, the grammar is that of `urisect.strict`, errors explain."""

import importlib
import json
import pickle
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

import annotated_types
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tests.support import naive
from tests.support.references import references
from urisect import strict, web
from urisect.extras import MissingExtraError
from urisect.integrations.pydantic import IRI, URI, AbsoluteURI, Constraints, URIReference, WebURL
from urisect.specs import RFC3986, RFC3987

TYPES: dict[str, Any] = {
    "URI": URI,
    "URIReference": URIReference,
    "AbsoluteURI": AbsoluteURI,
    "IRI": IRI,
    "WebURL": WebURL,
}
VALIDATORS: dict[str, Callable[[str], bool]] = {
    "URI": lambda text: strict.is_valid(text, rule="URI"),
    "URIReference": strict.is_valid,
    "AbsoluteURI": lambda text: strict.is_valid(text, rule="absolute-URI"),
    "IRI": lambda text: RFC3987.is_valid(text, "URI"),
    "WebURL": web.is_valid,
}
ADAPTERS = {name: TypeAdapter[str](annotation) for name, annotation in TYPES.items()}
for_every_type = pytest.mark.parametrize("name", TYPES)


def errors(annotation: Any, value: object, **options: Any) -> list[Any]:
    """Return the errors of an invalid value, without pydantic's link."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(annotation).validate_python(value, **options)
    return caught.value.errors(include_url=False)


# Values


@for_every_type
@given(text=naive.texts | references | st.text("ahttps:/.[1]é%@ "))
def test_a_type_accepts_what_the_library_accepts_and_changes_nothing(name: str, text: str) -> None:
    try:
        value = ADAPTERS[name].validate_python(text)
    except ValidationError:
        assert not VALIDATORS[name](text)
    else:
        assert VALIDATORS[name](text)
        assert (value, type(value)) == (text, str)


UNUSUAL = [
    "HTTP://Example.com:80",
    "http://example.com/a/../%7eb",
    "http://example.com/?#",
    "https://xn--bcher-kva.example",
]


@pytest.mark.parametrize("url", UNUSUAL)
@for_every_type
def test_nothing_is_rewritten(name: str, url: str) -> None:
    if name == "AbsoluteURI":
        url = url.rstrip("#")
    adapter = ADAPTERS[name]
    assert adapter.validate_python(url) is url
    assert adapter.validate_python(url, strict=True) is url
    assert adapter.validate_json(json.dumps(url)) == adapter.validate_strings(url) == url
    assert (adapter.dump_python(url), adapter.dump_json(url)) == (url, json.dumps(url).encode())


def test_an_iri_keeps_its_characters() -> None:
    assert ADAPTERS["IRI"].validate_python("http://bücher.example/ä?ö#ü") == "http://bücher.example/ä?ö#ü"
    assert errors(URI, "http://bücher.example/")[0]["ctx"]["offset"] == 8


@pytest.mark.parametrize("value", [1, None, ["http://a/"], pydantic.AnyUrl("http://a/")])
def test_another_type_is_pydantic_s_own_error(value: object) -> None:
    assert errors(URI, value)[0]["type"] == "string_type"


def test_bytes_are_decoded_unless_strict_as_for_str() -> None:
    assert ADAPTERS["URI"].validate_python(b"http://a/") == "http://a/"
    assert errors(URI, b"http://a/", strict=True)[0]["type"] == "string_type"


# Errors


def test_an_error_says_where_and_what_was_expected() -> None:
    assert errors(URI, "http://example.com:8O/") == [
        {
            "type": "uri",
            "loc": (),
            "msg": 'Input should be a valid URI: "O" instead of a digit at offset 20 (RFC 3986, 3.2.3, port)',
            "input": "http://example.com:8O/",
            "ctx": {
                "name": "URI",
                "component": "port",
                "offset": 20,
                "length": 1,
                "section": "3.2.3",
                "rule": "port",
                "specification": "RFC 3986",
                "others": 0,
                "found": '"O"',
                "expected": "a digit",
            },
        }
    ]


@pytest.mark.parametrize(
    ("annotation", "text", "error_type", "message"),
    [
        (URI, "/a", "uri", 'a valid URI: "/" instead of a letter at offset 0 (RFC 3986, 3, URI)'),
        (URI, "//h:{", "uri", 'a valid URI: "/" instead of a letter at offset 0 (RFC 3986, 3, URI), and 1 more'),
        (URI, "x://h:{rule}", "uri", 'a valid URI: "{" and 5 more instead of a digit at offset 6 (RFC 3986'),
        (URIReference, "a\n", "uri_reference", "a valid URI reference: U+000A (control character) instead of"),
        (AbsoluteURI, "a:#", "absolute_uri", 'a valid absolute URI: "#" instead of the end at offset 2'),
        (IRI, "é", "iri", 'a valid IRI: "é" U+00E9 (latin small letter e with acute) instead of a letter at offset 0'),
    ],
)  # fmt: skip
def test_messages_can_be_read_alone(annotation: Any, text: str, error_type: str, message: str) -> None:
    [error] = errors(annotation, text)
    assert error["type"] == error_type
    assert error["msg"].startswith(f"Input should be {message}")


@given(text=naive.texts | references)
def test_an_error_is_the_first_violation(text: str) -> None:
    violations = RFC3986.violations(text, "URI")
    if violations:
        [error] = errors(URI, text)
        first = violations[0]
        assert [error["ctx"][key] for key in ("component", "offset", "expected", "section", "others")] == [
            *(first.component, first.offset, first.expected, first.section, len(violations) - 1)
        ]
        where, _, citation = first.message.rpartition(" (")
        assert f"{where} at offset {first.offset} ({citation}" in error["msg"]


@pytest.mark.parametrize(
    "text", ["htp://example.com", "example.com", "http://a b/{offset}", "", "http://user@example.com/"]
)
def test_an_error_of_a_web_address_is_the_first_problem(text: str) -> None:
    first, *others = web.check(text)
    [error] = errors(WebURL, text)
    assert (error["type"], error["input"]) == ("web_url", text)
    assert error["msg"].startswith(f"Input should be a valid web address: {first.message}")
    assert error["msg"].endswith(f" And {len(others)} more.") is bool(others)
    assert [error["ctx"][key] for key in ("code", "offset", "suggestion")] == [
        first.code,
        first.offset,
        first.suggestion,
    ]


def test_errors_are_serializable() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(list[URI | WebURL]).validate_python(["{", "http://a/", "http:// a"])
    assert {error["loc"][0] for error in json.loads(caught.value.json())} == {0, 2}


# Constraints

WEB = Constraints(schemes=("http", "HTTPS"))


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (Annotated[URI, WEB], "http:a"),
        (Annotated[URI, WEB], "hTTps://a"),
        (Annotated[IRI, WEB], "https://é"),
        (Annotated[AbsoluteURI, Constraints(schemes=("a+b-c.d",))], "A+b-c.D:"),
        (Annotated[URIReference, WEB], "http:a"),
        (Annotated[URIReference, WEB], "/a:b"),
        (Annotated[URIReference, WEB], ""),
        (Annotated[WebURL, Constraints(schemes=("ftp",))], "ftp://example.com/"),
        (Annotated[URI, Constraints(min_length=4, max_length=4)], "a:bc"),
        (Annotated[URI, Field(max_length=5), WEB, Constraints(min_length=5)], "http:"),
        (Annotated[URI | None, Constraints(max_length=4)], None),
    ],
)
def test_constraints_that_are_kept(annotation: Any, text: str | None) -> None:
    assert TypeAdapter(annotation).validate_python(text) == text


@pytest.mark.parametrize(
    ("annotation", "text", "error_type", "message"),
    [
        (Annotated[URI, WEB], "ftp://a/", "uri_scheme",
         "Input should have the scheme http or HTTPS, not ftp (RFC 3986, 3.1, scheme)"),
        (Annotated[URI, WEB], "httpx:a", "uri_scheme", "not httpx"),
        (Annotated[URI, Constraints(schemes=("a.b",))], "axb:", "uri_scheme", "scheme a.b, not axb"),
        (Annotated[URI, WEB], "http\u017f:a", "uri", "at offset 4"),
        (Annotated[URI, WEB], "ftp://a/ ", "uri", "at offset 8"),
        (Annotated[URIReference, WEB], "javascript:alert(1)", "uri_scheme", "not javascript"),
        (Annotated[IRI, WEB], "x:é", "uri_scheme", "not x"),
        (Annotated[WebURL, Constraints(schemes=("https",))], "http://example.com/", "web_url", "https://"),
        (Annotated[URI, Constraints(max_length=9)], "http://example.com/", "string_too_long", "9 characters"),
        (Annotated[URI, Constraints(min_length=3)], "a:", "string_too_short", "3 characters"),
        (Annotated[WebURL, Constraints(max_length=9)], "http://example.com/", "string_too_long", "9 characters"),
        (Annotated[URI, WEB, Constraints(max_length=9)], "x:", "uri_scheme", "not x"),
        (Annotated[URI, Constraints(max_length=9), WEB], "http:67890", "string_too_long", "9 characters"),
        (Annotated[URI, Constraints(max_length=2), Constraints(max_length=9)], "http:67890", "string_too_long", "9"),
        (Annotated[URI, Field(max_length=9), WEB], "x:", "uri_scheme", "not x"),
        (Annotated[URI, Field(max_length=9)], "http:67890", "too_long", "9"),
        (Annotated[URI, annotated_types.MaxLen(9)], "http:67890", "too_long", "9"),
        (Annotated[URI, annotated_types.Len(3, 9)], "x:", "too_short", "3"),
        (Annotated[URI | None, Constraints(schemes=("y",))], "x:", "uri_scheme", "not x"),
    ],
)  # fmt: skip
def test_constraints_that_are_broken(annotation: Any, text: str, error_type: str, message: str) -> None:
    [error] = errors(annotation, text)
    assert error["type"] == error_type
    assert message in error["msg"]


def test_an_error_about_the_scheme_has_its_parts() -> None:
    assert errors(Annotated[URI, WEB], "ftp://a/")[0]["ctx"] == {
        "component": "scheme",
        "offset": 0,
        "section": "3.1",
        "expected": "http or HTTPS",
        "found": "ftp",
    }


@pytest.mark.parametrize(
    ("schemes", "error", "message"),
    [
        ("https", TypeError, "schemes takes a tuple of str"),
        (["https"], TypeError, "schemes takes a tuple of str"),
        ((1,), TypeError, "schemes takes a tuple of str"),
        ((), ValueError, "no scheme"),
        (("https:",), ValueError, "invalid scheme 'https:'"),
        (("http\u017f",), ValueError, "invalid scheme"),
    ],
)
def test_impossible_schemes_are_errors(schemes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Constraints(schemes=schemes)


@pytest.mark.parametrize(("annotation", "kind"), [(str, "str"), (list[URI], "list"), (int | None, "int")])
def test_constraints_of_another_type_are_an_error(annotation: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=rf"Constraints\(\) takes a type of urisect.integrations.pydantic, not {kind}"):
        TypeAdapter(Annotated[annotation, WEB])


# Models


class Page(BaseModel):
    kind: Literal["page"] = "page"
    url: URI
    base: AbsoluteURI = "about:blank"
    links: list[URIReference] = []
    canonical: Annotated[WebURL, Constraints(schemes=("https",), max_length=40)] | None = None


class Feed(BaseModel):
    kind: Literal["feed"] = "feed"
    iri: IRI = Field(default="http://é/", max_length=20)


class Site(BaseModel):
    parts: list[Annotated[Page | Feed, Field(discriminator="kind")]]


def test_models() -> None:
    page = Page(url="HTTP://a", links=["", "/%C3%A9"], canonical="https://example.com")
    text = page.model_dump_json()
    assert (
        json.loads(text)
        == page.model_dump()
        == {
            "kind": "page",
            "url": "HTTP://a",
            "base": "about:blank",
            "links": ["", "/%C3%A9"],
            "canonical": "https://example.com",
        }
    )
    assert Page.model_validate_json(text) == pickle.loads(pickle.dumps(page)) == page  # noqa: S301  its own
    with pytest.raises(ValidationError) as caught:
        Page.model_validate_json(
            '{"url": "a b", "base": "a:#", "links": ["a", "{"], "canonical": "http://example.com"}'
        )
    assert [error["loc"] for error in caught.value.errors()] == [("url",), ("base",), ("links", 1), ("canonical",)]


def test_discriminated_unions() -> None:
    site = Site.model_validate({"parts": [{"kind": "feed"}, {"kind": "page", "url": "a:"}]})
    assert site.parts == [Feed(), Page(url="a:")]
    with pytest.raises(ValidationError) as caught:
        Site.model_validate({"parts": [{"kind": "page", "url": "a"}]})
    assert caught.value.errors()[0]["loc"] == ("parts", 0, "page", "url")


def test_dataclasses_settings_of_models_and_pickled_fields() -> None:
    @pydantic.dataclasses.dataclass
    class Link:
        target: URIReference = ""

    class Stripped(BaseModel):
        model_config = ConfigDict(str_strip_whitespace=True, strict=True, validate_default=True, str_max_length=5)
        url: URI = " a: "

    assert Link("a").target == "a"
    assert Stripped().url == "a:"
    with pytest.raises(ValidationError, match="at most 5 characters"):
        Stripped(url="a:5678")
    field = Page.model_fields["canonical"]
    assert repr(pickle.loads(pickle.dumps(field))) == repr(field)  # noqa: S301  its own


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (URI, {"format": "uri"}),
        (AbsoluteURI, {"format": "uri"}),
        (URIReference, {"format": "uri-reference"}),
        (IRI, {"format": "iri"}),
        (WebURL, {"format": "uri"}),
        (Annotated[URI, Constraints(schemes=("a",), min_length=2)], {"format": "uri", "minLength": 2}),
        (Annotated[IRI, Constraints(max_length=9)], {"format": "iri", "maxLength": 9}),
        (Annotated[URI, Field(min_length=1, max_length=9)], {"format": "uri", "minLength": 1, "maxLength": 9}),
        (Annotated[URI, Field(title="T", examples=["a:"])], {"format": "uri", "title": "T", "examples": ["a:"]}),
    ],
)
@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_json_schema(annotation: Any, schema: dict[str, Any], mode: Literal["validation", "serialization"]) -> None:
    assert TypeAdapter(annotation).json_schema(mode=mode) == {"type": "string", **schema}


def test_without_pydantic_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    monkeypatch.delitem(sys.modules, "urisect.integrations.pydantic")
    with pytest.raises(MissingExtraError, match=r"needs pydantic, .*; pip install 'urisect\[pydantic\]' brings it"):
        importlib.import_module("urisect.integrations.pydantic")
