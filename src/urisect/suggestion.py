"""Suggest the name that a user probably meant."""

from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that is most similar to a mistyped one, as the end of a message.

    Args:
        name: the mistyped name.
        known: the valid names.

    Returns:
        A question with the most similar name, or an empty text if no name is similar.

    >>> did_you_mean("agnet", ["agent", "status"]), did_you_mean("x", ["agent"])
    ('; did you mean "agent"?', '')
    """
    from difflib import get_close_matches  # noqa: PLC0415  only mistyped names need it

    by_lower_case = {each.lower(): each for each in known}
    matches = get_close_matches(name.lower(), by_lower_case, 1)
    return f'; did you mean "{by_lower_case[matches[0]]}"?' if matches else ""
