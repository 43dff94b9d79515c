"""What goes wrong with logs, apart from what is wrong in them: it ends the work, and says what to do."""

__all__ = ["MissingExtraError", "WhereError", "WorkerError"]


class MissingExtraError(ImportError):
    """What is asked for needs a package that is not installed.

    >>> print(MissingExtraError("Parquet", "pyarrow"))
    Parquet needs pyarrow, which is not installed; pip install 'urisect[logs]' brings it
    """

    def __init__(self, purpose: str, package: str) -> None:
        """Name what is asked for, and the package."""
        super().__init__(
            f"{purpose} needs {package}, which is not installed; pip install 'urisect[logs]' brings it", name=package
        )


class WhereError(ValueError):
    """An expression over the fields of a line that cannot be evaluated.

    >>> print(WhereError("status >", "syntax error at end of input"))
    where 'status >': syntax error at end of input
    """

    def __init__(self, expression: str, reason: str) -> None:
        """Give the expression, and why."""
        super().__init__(expression, reason)

    def __str__(self) -> str:
        return f"where {self.args[0]!r}: {self.args[1]}"


class WorkerError(RuntimeError):
    """A process that worked on a piece is gone, or cannot leave what it made of it.

    >>> print(WorkerError())
    a worker process was killed before its work was done: by hand, or for want of memory; --jobs 1 needs least
    """

    def __init__(
        self,
        reason: str = "a worker process was killed before its work was done: by hand, or for want of memory; "
        "--jobs 1 needs least",
    ) -> None:
        """Say what went wrong."""
        super().__init__(reason)
