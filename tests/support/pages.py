"""Write tables in Markdown, and generated text between `<!-- NAME: written by make TARGET -->` and `<!-- end -->`."""

import re
from collections.abc import Iterable, Sequence

__all__ = ["table", "with_generated"]


def with_generated(page: str, name: str, text: str) -> str:
    r"""Replace the generated text of a name on a page.

    Args:
        page: the page in Markdown.
        name: the first word of the comment before the text.
        text: the new text.

    Raises:
        ValueError: the page has no such comment.

    >>> with_generated("<!-- sum: written by make pages -->\n1\n<!-- end -->\nA sum.\n", "sum", "2\n")
    '<!-- sum: written by make pages -->\n\n2\n\n<!-- end -->\nA sum.\n'
    """
    found = re.search(rf"(<!-- {re.escape(name)}: [^\n]* -->\n).*?(?=<!-- end -->)", page, re.DOTALL)
    if found is None:
        raise ValueError(f"the page has no comment <!-- {name}: … -->")
    return f"{page[: found.start()]}{found[1]}\n{text}\n{page[found.end() :]}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""Write a table of Markdown.

    >>> table(["a", "b"], [["1", "x|y"]])
    ['| a | b |', '| --- | --- |', '| 1 | x\\|y |']
    """
    cells = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return [f"| {' | '.join(row)} |" for row in cells]
