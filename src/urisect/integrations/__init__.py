"""Types and validators for other packages, one module for each."""

__all__: list[str] = []
