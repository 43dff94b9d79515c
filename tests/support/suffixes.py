"""The Public Suffix List for tests, read once."""

from typing import Final

from publicsuffixlist import PublicSuffixList

__all__ = ["SUFFIXES"]

SUFFIXES: Final = PublicSuffixList()
