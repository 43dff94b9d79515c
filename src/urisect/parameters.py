"""Parse and build the parameters of a query (RFC 3986, 3.4)."""

__all__: list[str] = []
