"""Profiles of keys: which references a key counts as the same, from conservative to aggressive."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

__all__ = ["PROFILES", "Profile"]


@dataclass(frozen=True)
class Profile:
    """The steps that make a key.

    Attributes:
        name: the name, with the version of the profile.

    >>> PROFILES["request-1"].name
    'request-1'
    """

    name: str


PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {name: Profile(name) for name in ("syntax-1", "request-1", "page-1", "loose-1")}
)
