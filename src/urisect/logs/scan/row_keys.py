"""Give each row a pseudo-random key, which depends on nothing but the place of its line."""

from hashlib import blake2b
from itertools import islice
from struct import Struct

from urisect.logs.input.blocks import Block, line_offsets
from urisect.logs.input.reader import Table

__all__ = ["add_row_keys", "row_keys"]

# The column of the keys; no field has such a name.
KEY_COLUMN = "row key"

# Bytes of a key: so many that no two rows have the same.
KEY_BYTES = 16

# What is hashed: the number of the file, and the offset of the line.
PLACE = Struct("<QQ")


def add_row_keys(table: Table, block: Block, file_number: int) -> Table:
    r"""Return a table with a key for each row. The same line has the same key in every run.

    Args:
        table: the lines of the block, parsed.
        block: the lines.
        file_number: the position of the file among all files.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> data = b"/a\n/a\n"
    >>> keys = row_keys(add_row_keys(next(tables(io.BytesIO(data), LIST)), Block(0, data), 0))
    >>> [len(key) for key in keys], keys[0] == keys[1]
    ([16, 16], False)
    """
    unparsed = {line.offset for line in table.rejected} | {line.offset for line in table.skipped}
    offsets = islice(line_offsets(block.data, block.offset), table.lines)
    keys = [
        blake2b(PLACE.pack(file_number, offset), digest_size=KEY_BYTES).digest()
        for offset in offsets
        if offset not in unparsed
    ]
    return table._replace(columns={**table.columns, KEY_COLUMN: [*keys]})


def row_keys(table: Table) -> list[bytes]:
    """Return the keys of the rows of a table that `add_row_keys` returned, or of a selection of its rows."""
    return [key for key in table.columns[KEY_COLUMN] if key is not None]
