"""Names of fields: aliases, the name in results, and the error for an unknown name."""

import io
import pickle

import pytest

from urisect.logs import COMBINED, FORMATS, LIST, Format, apache, format_of, records, schema, tables
from urisect.logs.formats.fields import ALIASES, UnknownFieldError
from urisect.logs.output.arrow import record_batch

# An alias, the field that it means in the Combined Log Format, and its value in the first line of the sample.
ALIASED: list[tuple[str, str, bytes | None]] = [
    ("ip", "client", b"192.0.2.7"),
    ("url", "target", b"/a/b?c=d"),
    ("uri", "target", b"/a/b?c=d"),
    ("path", "target_path", b"/a/b"),
    ("user_agent", "agent", b"Lynx/2.6"),
    ("referrer", "referer", b"http://example.com/"),
    ("referrer_scheme", "referer_scheme", b"http"),
    ("referrer_authority", "referer_authority", b"example.com"),
    ("referrer_path", "referer_path", b"/"),
    ("referrer_query", "referer_query", None),
    ("referrer_fragment", "referer_fragment", None),
    ("referrer_userinfo", "referer_userinfo", None),
    ("referrer_host", "referer_host", b"example.com"),
    ("referrer_port", "referer_port", None),
]


@pytest.mark.parametrize(("alias", "field", "value"), ALIASED)
def test_an_alias_means_a_field_wherever_a_field_is_named(alias: str, field: str, value: bytes | None) -> None:
    assert COMBINED.field(alias) == COMBINED.field(field) == field
    assert COMBINED.kind(alias) is COMBINED.kind(field)
    assert COMBINED.needed([alias]) == COMBINED.needed([field])
    [table] = tables(io.BytesIO(COMBINED.sample), COMBINED, columns=[alias])
    for method in (table.column, table.values, table.texts):
        assert method(alias) == method(field)
        assert method(alias)[0] == value


ALIASED_IN_ENVELOPES = {name: f"envelope_{name}" for name in ("container", "namespace", "pod", "stream")}


def test_what_an_envelope_tells_has_short_names() -> None:
    format = format_of("fluent-bit+combined")
    [table] = tables(io.BytesIO(format.sample), format, columns=[*ALIASED_IN_ENVELOPES])
    assert [table.column(alias)[0] for alias in ALIASED_IN_ENVELOPES] == [
        *(b"nginx", b"default", b"web-5d4f8c7b9-x2x4p", b"stdout")
    ]
    assert format_of("w3c").field("stream") == "stream"


def test_every_alias_is_tested() -> None:
    assert {alias: field for alias, field, _ in ALIASED} | ALIASED_IN_ENVELOPES == ALIASES


def test_results_have_the_requested_name() -> None:
    names = ["ip", "status", "user_agent"]
    [first, _] = records(io.BytesIO(COMBINED.sample), "combined", columns=names)
    assert first == {"ip": b"192.0.2.7", "status": 200, "user_agent": b"Lynx/2.6"}
    assert schema(COMBINED, names).names == names
    [table] = tables(io.BytesIO(COMBINED.sample), COMBINED, columns=names)
    assert record_batch(table, names).schema.names == names


@pytest.mark.parametrize(
    ("format", "name"),
    [(LIST, "path"), (apache("%{IP}i %h"), "ip"), (apache("%{User_Agent}i %{User-Agent}i"), "user_agent")],
)
def test_a_field_of_the_format_takes_precedence_over_an_alias(format: Format, name: str) -> None:
    assert format.field(name) == name


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_field_means_itself(format: Format) -> None:
    assert [format.field(name) for name in format.fields] == list(format.fields)


@pytest.mark.parametrize(
    ("format", "name", "hint"),
    [
        (COMBINED, "agnet", 'did you mean "agent"?'),
        (COMBINED, "useragent", 'did you mean "user_agent"?'),
        (COMBINED, "Status", 'did you mean "status"?'),
        (COMBINED, "target_hots", 'did you mean "target_host"?'),
        (COMBINED, "zzz", "referer_port"),
        (LIST, "url", "port"),
        (LIST, "ip", "port"),
    ],
)
def test_an_unknown_name_is_a_key_error_with_a_suggestion(format: Format, name: str, hint: str) -> None:
    with pytest.raises(KeyError) as caught:
        format.field(name)
    message = f"no field is called {name!r}; there are {', '.join(format.fields)}"
    assert str(caught.value).startswith(message)
    assert str(caught.value).endswith(hint)
    assert str(caught.value) == str(pickle.loads(pickle.dumps(caught.value)))  # noqa: S301
    with pytest.raises(UnknownFieldError):
        format.kind(name)
