"""Suggest the name that somebody probably meant."""

from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the known name nearest to a mistyped one, as the end of a sentence.

    Args:
        name: what was typed.
        known: the names there are.

    Returns:
        A question with the nearest name, or an empty text where no name is near.

    >>> did_you_mean("agnet", ["agent", "status"]), did_you_mean("x", ["agent"])
    ('; did you mean "agent"?', '')
    """
    from difflib import get_close_matches  # noqa: PLC0415  only mistyped names need it

    lower = {each.lower(): each for each in known}
    found = get_close_matches(name.lower(), lower, 1)
    return f'; did you mean "{lower[found[0]]}"?' if found else ""
