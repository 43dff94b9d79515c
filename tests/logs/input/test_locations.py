"""Names of remote files: their parts, and that no secret is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisect.logs.input.locations import Location, is_remote, parse_location, path_of, redact, shown_name

PARTS = {
    "s3://bucket/a.log": ("s3", "bucket", "a.log", ""),
    "S3://bucket": ("s3", "bucket", "", ""),
    "s3://bucket/logs/a?.gz": ("s3", "bucket", "logs/a?.gz", ""),
    "s3://bucket/a?b?region=x": ("s3", "bucket", "a?b", "region=x"),
    "s3://bucket/a?scheme=http&endpoint_override=localhost:9": (
        "s3",
        "bucket",
        "a",
        "scheme=http&endpoint_override=localhost:9",
    ),
    "s3://bucket/a[?]b=c": ("s3", "bucket", "a[?]b=c", ""),
    "s3://bucket/a %41é#b": ("s3", "bucket", "a %41é#b", ""),
    "s3://bucket?region=x": ("s3", "bucket", "", "region=x"),
    "hdfs:///logs/a": ("hdfs", "", "logs/a", ""),
    "abfss://logs@account.dfs.core.windows.net/a": ("abfss", "logs@account.dfs.core.windows.net", "a", ""),
    "https://example.com/a?b": ("https", "example.com", "a", "b"),
}


@pytest.mark.parametrize(("name", "parts"), PARTS.items())
def test_parts_of_a_location(name: str, parts: tuple[str, str, str, str]) -> None:
    assert parse_location(name) == Location(*parts)


@pytest.mark.parametrize(
    ("name", "remote"),
    {
        "gs://b/a": True,
        "gcs://b/a": True,
        "HTTPS://example.com/": True,
        "abfs://c@a/b": True,
        "./s3://b": False,
        "s3:/b": False,
        "ftp://example.com/": False,
        "-": False,
        "": False,
    }.items(),
)
def test_remote_names(name: str, remote: bool) -> None:  # noqa: FBT001
    assert is_remote(name) is remote


def test_a_path_has_no_options() -> None:
    assert path_of("s3://bucket/rows.tsv.gz?endpoint_override=127.0.0.1:9") == "s3://bucket/rows.tsv.gz"
    assert path_of("a?b=c") == "a?b=c"


SHOWN = {
    "access.log?sig=1": "access.log?sig=1",
    "s3://key:secret@bucket/a@b": "s3://bucket/a@b",
    "s3://key:sec/ret@bucket/a": "s3://bucket/a",
    "s3://bucket/user@example.com.log": "s3://bucket/user@example.com.log",
    "hdfs://host:8020/a@b": "hdfs://host:8020/a@b",
    "hdfs://user@host:8020/a": "hdfs://host:8020/a",
    "s3://bucket/a?region=x&access_key=k&secret_key=s": "s3://bucket/a?region=x&access_key=…&secret_key=…",
    "s3://bucket/a?access_key=k&&secret_key=s": "s3://bucket/a?access_key=…&&secret_key=…",
    "abfss://:key@account/c/a": "abfss://account/c/a",
    "abfss://logs:key@account/a": "abfss://logs@account/a",
    "https://u:p@example.com/a?sig=x&y": "https://example.com/a?sig=…&…",
    "https://example.com/a#token": "https://example.com/a",
    "https://example.com/a?": "https://example.com/a?",
}


@pytest.mark.parametrize(("name", "shown"), SHOWN.items())
def test_shown_names(name: str, shown: str) -> None:
    assert shown_name(name) == shown
    assert shown_name(shown) == shown
    assert redact(f"error in '{name}'") == f"error in '{shown}'"


@given(
    st.sampled_from(["s3", "gs", "abfss", "hdfs", "http", "https"]),
    st.sampled_from(["{u}:{s}@host/a", "{s}@host/a?b", "host/a?X-Amz-Signature={s}", "host/a?b=c&token={s}&sig={s}"]),
    st.sampled_from(["", "&region=x", "?scheme=http"]),
)
def test_no_secret_is_shown(scheme: str, rest: str, end: str) -> None:
    name = f"{scheme}://{rest.format(u='user', s='SeCrEt')}{end}"
    if scheme != "abfss" or ":" in rest:  # a container is no secret
        assert "SeCrEt" not in shown_name(name) or (scheme == "abfss" and rest.startswith("{s}"))
