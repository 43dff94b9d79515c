"""Update the generated parts of the documentation: `python -m tests.support.update_pages`, or `make pages`."""

from benchmarks import report
from tests.support import formats_page, house
from tests.support.structure import read_structure

__all__ = ["main"]


def main() -> None:
    """Draw the structure and the chart of results, and write the list of storeys and the tables of formats."""
    structure = read_structure()
    house.DRAWING.write_text(house.draw(structure), "utf-8")
    house.PAGE.write_text(house.with_storeys(house.PAGE.read_text("utf-8"), structure), "utf-8")
    report.redraw_chart()
    formats_page.PAGE.write_text(formats_page.with_formats(formats_page.PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
