"""Convert domain names between Unicode and ASCII (IDNA 2008, RFC 5891; UTS #46)."""

__all__: list[str] = []
