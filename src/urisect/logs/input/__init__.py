"""Read logs: find files, decompress them, select a format, and parse blocks of lines into tables."""

__all__ = ()
