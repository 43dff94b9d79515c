"""Errors that end the reading of logs; each message says what to do."""

__all__ = ["TimeRangeError", "WhereError", "WorkerError"]


class TimeRangeError(ValueError):
    """A range of times is invalid, or the lines have no time.

    >>> raise TimeRangeError("'someday' is not a time")
    Traceback (most recent call last):
    urisect.logs.errors.TimeRangeError: 'someday' is not a time
    """


class WhereError(ValueError):
    """A `where` expression is invalid, is not allowed, or fails on a line.

    >>> print(WhereError("status >", "syntax error at end of input"))
    where 'status >': syntax error at end of input
    """

    def __init__(self, expression: str, reason: str) -> None:
        """Name the expression and the reason."""
        super().__init__(expression, reason)

    def __str__(self) -> str:
        return f"where {self.args[0]!r}: {self.args[1]}"


class WorkerError(RuntimeError):
    """A worker process was killed, or its result cannot be stored.

    >>> print(WorkerError())
    a worker process was killed, perhaps because memory ran out; jobs=1 takes the least memory
    """

    def __init__(
        self,
        reason: str = "a worker process was killed, perhaps because memory ran out; jobs=1 takes the least memory",
    ) -> None:
        """Say what went wrong."""
        super().__init__(reason)
