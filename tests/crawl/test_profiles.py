"""Profiles: their fields, and the page about them."""

import re
from dataclasses import fields, replace
from typing import Any

import pytest

from tests.support.paths import DOCS
from urisect import crawl
from urisect.crawl import PROFILES, Profile
from urisect.crawl.profiles import SESSION_PARAMETERS, TRACKING_PARAMETERS

PAGE = (DOCS / "reference" / "crawl_profiles.md").read_text("utf-8")
NO_STEP = Profile("none-1", level="string", drops_fragment=False)


def rows(heading: str) -> list[list[str]]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line.strip("| ").split(" | ") for line in section.splitlines() if re.match(r"\| [^-]", line)]


@pytest.mark.parametrize("row", rows("What each step joins")[1:], ids=lambda row: row[0])
def test_a_step_does_what_the_page_says(row: list[str]) -> None:
    field = row[0].strip("`")
    equal, different = (re.findall("`([^`]+)`", cell) for cell in row[1:])
    step = replace(NO_STEP, **{field: getattr(PROFILES["loose-1"], field)})
    assert len({crawl.key(url, step) for url in equal}) == 1 < len({crawl.key(url, NO_STEP) for url in equal}) == 2
    assert len({crawl.key(url, step) for url in different}) == 2
    if field != "drops_trailing_slash":
        assert len({crawl.key(url, "loose-1") for url in different}) == 2


def test_every_step_is_on_the_page_in_the_order_of_the_fields() -> None:
    for heading in ("The steps", "What each step joins"):
        assert [row[0].strip("`") for row in rows(heading)[1:]] == [field.name for field in fields(Profile)][1:]


def test_every_dropped_parameter_is_on_the_page() -> None:
    tables = rows("The parameters of tracking")
    named = [re.findall("`([^`]+)`", row[1]) for row in tables]
    assert [name for names in named for name in names] == [*TRACKING_PARAMETERS, *SESSION_PARAMETERS]
    assert len({*TRACKING_PARAMETERS, *SESSION_PARAMETERS}) == len(TRACKING_PARAMETERS + SESSION_PARAMETERS)


@pytest.mark.parametrize("name", TRACKING_PARAMETERS)
def test_every_tracking_parameter_is_dropped(name: str) -> None:
    for url in (f"https://a.example/?{name.replace('*', 'x')}=1", f"https://a.example/?{name.replace('*', '')}"):
        assert crawl.key(url, "page-1") == crawl.key(url, "loose-1") == "https://a.example/"


def test_a_profile_of_a_user() -> None:
    ours = replace(PROFILES["page-1"], name="ours-1", dropped_parameters=("ref", "from*"), default_pages=("home.html",))
    assert crawl.key("http://a.example/x/HOME.html?utm_a=1&ref=2&b&fromage", ours) == "http://a.example/x/?b&utm_a=1"
    unsorted = replace(ours, name="ours-2", sorts_parameters=False)
    assert crawl.key("http://a.example/?b&a&&", unsorted) == "http://a.example/?b&a&&"
    assert crawl.key("http://a.example/?b&a", unsorted) == "http://a.example/?b&a"
    assert ours != PROFILES["page-1"]
    assert {ours: 1}[replace(ours)] == 1


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"name": ""}, ValueError, "the name of a profile is empty"),
        ({"name": None}, TypeError, "name must be str, not NoneType"),
        ({"level": "deep"}, ValueError, "unknown level 'deep': use string, syntax, scheme"),
        ({"drops_www": 1}, TypeError, "drops_www must be bool, not int"),
        ({"dropped_parameters": ["utm_*"]}, TypeError, "dropped_parameters must be a tuple of str, not list"),
        ({"dropped_parameters": "utm_*"}, TypeError, "dropped_parameters must be a tuple of str, not str"),
        ({"session_parameters": (b"sid",)}, TypeError, "session_parameters must be a tuple .* items is bytes"),
        *(
            ({"default_pages": (page,)}, ValueError, "in default_pages is not")
            for page in ("", "a/b", "é", "a?", "a b")
        ),
    ],
)
def test_wrong_values(values: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Profile(**{"name": "ours-1", **values})
