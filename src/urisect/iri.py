"""Convert IRIs to URIs and back (RFC 3987, 3)."""

__all__: list[str] = []
