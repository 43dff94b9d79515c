"""Parse regular lines by their delimiters, a block at once, into columns of Arrow; the expression judges all others."""

__all__ = ()
