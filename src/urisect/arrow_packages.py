"""Import numpy and pyarrow, or raise an error that names the extra that brings them."""

from urisect.extras import MissingExtraError

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
except ModuleNotFoundError as error:
    raise MissingExtraError("a column of Arrow", error.name or "pyarrow", "arrow") from None

__all__ = ["np", "pa", "pc"]
