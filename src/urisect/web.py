"""Check web addresses that people type into forms, and tell them what is wrong."""

__all__: list[str] = []
