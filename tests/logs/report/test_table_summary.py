"""Tests of the summaries of tables that workers make."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisect.logs.report.table_summary import Response, TopResponses


@given(values=st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcd")), max_size=30), part_rows=st.integers(1, 5))
def test_merged_top_responses_equal_those_of_all_rows(values: list[tuple[int, str]], part_rows: int) -> None:
    responses = [Response(value, path.encode(), row) for row, (value, path) in enumerate(values)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("urisect.logs.report.table_summary.MAX_TOP_RESPONSES", 2)
        whole = TopResponses()
        whole.add(responses)
        merged, worker = TopResponses(), TopResponses()
        for start in range(0, len(responses), part_rows):
            part_responses = responses[start : start + part_rows]
            part = TopResponses()
            part.add(part_responses[row] for row in worker.candidates([response.value for response in part_responses]))
            worker.add(part.responses)
            merged.add(part.responses)
    assert [response.value for response in merged.responses if response.value] == [
        response.value for response in whole.responses if response.value
    ]
