"""Percent-encode and decode text (RFC 3986, 2)."""

__all__: list[str] = []
