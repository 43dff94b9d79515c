"""References and bases with many dot segments, as Hypothesis strategies."""

from hypothesis import strategies as st

from urisect import split

__all__ = ["bases", "octets", "references"]


def octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# Components of the parts that the algorithm of resolution distinguishes, with many dots.
segments = st.sampled_from([".", "..", "", "a", "b:c", "..a", ".b", "%2E", "%7e%2f", "é"])
paths = st.lists(segments, max_size=6).map("/".join)
optional = st.none() | st.sampled_from(["", "q", "a/./b", "/../", "?"])
references = st.builds(
    lambda scheme, authority, path, query, fragment: "".join(
        (
            "" if scheme is None else f"{scheme}:",
            "" if authority is None else f"//{authority}",
            path,
            "" if query is None else f"?{query}",
            "" if fragment is None else f"#{fragment}",
        )
    ),
    st.none() | st.sampled_from(["s", "http", "HTTP", "x.y"]),
    st.none() | st.sampled_from(["", "h", "u@h:1", "U%c3%41:%3a@H"]),
    paths | paths.map("/{}".format),
    optional,
    optional,
)
bases = st.builds("{}:{}".format, st.sampled_from(["s", "http"]), references) | references.filter(
    lambda text: split(text).scheme is not None
)
