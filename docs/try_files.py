"""Collect what the page "Try it" loads: `python docs/try_files.py PYODIDE WHEEL FOLDER`.

That is Pyodide, from its package of npm, the wheel, and the packages that draw, as they are installed here.
"""

import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import files
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

__all__ = ["main"]

PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
PACKAGES = ("click", "rich")


def main(arguments: Sequence[str] | None = None) -> None:
    """Collect the files."""
    pyodide, wheel, folder = map(Path, sys.argv[1:] if arguments is None else arguments)
    folder.mkdir(parents=True, exist_ok=True)
    for name in PYODIDE_FILES:
        shutil.copy(pyodide / name, folder)
    shutil.copy(wheel, folder / "urisect.whl")
    with ZipFile(folder / "packages.zip", "w", ZIP_DEFLATED) as archive:
        for package in PACKAGES:
            for file in files(package) or ():
                if file.suffix == ".py" or "licenses" in file.parts:
                    archive.write(file.locate(), str(file))


if __name__ == "__main__":
    main()
