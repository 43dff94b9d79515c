"""The signatures of public names: real types, which a program can import."""

import re

import pytest

from tests.support.public import Documented, documented, public_names

# The grammar of a specification, the protocol that lets `normalize` take one, and where the fields of a line are: no
# program names these.
INTERNAL = {
    *("CharactersBeyondASCII", "ComponentRule", "DiagnosedComponent", "Normalization", "SupportsNormalization"),
    "LineLayout",
}


@pytest.mark.parametrize("item", [*documented()], ids=str)
def test_a_signature_has_real_types(item: Documented) -> None:
    assert [annotation for annotation in item.annotations if re.search(r"\bAny\b", annotation)] == []


@pytest.mark.parametrize("item", [*documented()], ids=str)
def test_the_types_in_a_signature_are_public(item: Documented) -> None:
    classes = {name for text in item.annotations for name in re.findall(r"\burisect\.(?:\w+\.)*([A-Z]\w*)", text)}
    assert classes - INTERNAL <= {name for _, name in public_names()}


def test_everything_public_is_tested() -> None:
    names = {str(item) for item in documented()}
    assert {"urisect.split", "urisect.Reference.host", "urisect.Base.resolve", "urisect.logs.Format.fields"} <= names
    assert len(names) > 100
    [base] = (item for item in documented() if str(item) == "urisect.Base")
    assert next(iter(base.annotations)).startswith("text: ")
    [pattern] = (item for item in documented() if str(item) == "urisect.pattern")
    assert pattern.parameters == ["prefix", "stop"]
    assert pattern.raised == {TypeError, ValueError}
