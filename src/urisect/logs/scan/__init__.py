"""Scan files in parallel: pieces of whole lines, workers, and results in line order."""

__all__ = ()
