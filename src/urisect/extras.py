"""The error for a feature whose package is not installed: it names the extra that brings the package."""

__all__ = ["MissingExtraError"]


class MissingExtraError(ImportError):
    """A feature needs a package that is not installed.

    Attributes:
        name: the name of the package, as in every ImportError.

    >>> print(MissingExtraError("Parquet", "pyarrow"))
    Parquet needs pyarrow, which is not installed; pip install 'urisect[logs]' brings it
    """

    def __init__(self, purpose: str, package: str, extra: str = "logs") -> None:
        """Name the feature, the package that it needs, and the extra that brings the package."""
        super().__init__(
            f"{purpose} needs {package}, which is not installed; pip install 'urisect[{extra}]' brings it", name=package
        )
