"""Tests of the explanations of rejected lines."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive
from urisect.logs import COMBINED, tables
from urisect.logs.report.rejection import explain_rejection

WELL_FORMED = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a HTTP/1.0" 200 1 "-" "-"'


@pytest.mark.parametrize("changed", [b"Nov", b"+0000", b"200", b'1 "-"', b'"-" "-"'])
def test_an_explanation_ends_before_the_first_wrong_byte(changed: bytes) -> None:
    position = WELL_FORMED.rindex(changed)
    text = WELL_FORMED[:position] + b"\x00" + WELL_FORMED[position + 1 :]
    explanation = explain_rejection(COMBINED, text)
    assert explanation
    assert explanation.length == position


@given(length=st.integers(0, len(WELL_FORMED) - 1))
def test_an_explanation_covers_all_of_a_truncated_line(length: int) -> None:
    explanation = explain_rejection(COMBINED, WELL_FORMED[:length])
    assert explanation
    assert explanation.length == length


@given(data=naive.octets)
def test_every_rejected_line_has_an_explanation(data: bytes) -> None:
    for table in tables(io.BytesIO(data), COMBINED):
        for rejected in table.rejected:
            explanation = explain_rejection(COMBINED, rejected.text)
            assert explanation
            assert explanation.length <= len(rejected.text)
