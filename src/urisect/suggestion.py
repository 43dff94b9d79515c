"""Suggest the name that a user probably meant."""

from collections.abc import Iterable

__all__ = ["did_you_mean", "most_similar"]


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
    similar = most_similar(name, known)
    return "" if similar is None else f'; did you mean "{similar}"?'


def most_similar(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name that is most similar to a mistyped one; None if no name is similar.

    Args:
        name: the mistyped name.
        known: the valid names.
        cutoff: how similar a name has to be: 1 if it is equal, 0 if no character is the same.

    >>> most_similar("acess.log", ["access.log", "error.log"])
    'access.log'
    """
    from difflib import get_close_matches  # noqa: PLC0415  only mistyped names need it

    by_lower_case = {each.lower(): each for each in known}
    matches = get_close_matches(name.lower(), by_lower_case, 1, cutoff)
    return by_lower_case[matches[0]] if matches else None
