"""The structure of the package, read from its source with `ast`: rooms, storeys and imports.

A room is a module or a package. Rooms stand on storeys, and imports run downwards only. `tests/test_structure.py` holds
the source to that; `make pages` draws it (`tests/support/house.py`).

Modules are named without `urisect.`: `logs.formats.apache`. The package itself is `urisect`.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Literal, NamedTuple

from tests.support.paths import ROOT

__all__ = ["FACADE", "PUBLIC_PACKAGES", "STOREYS", "STOREY_OF", "Import", "Module", "Structure", "read_structure"]

FACADE = "urisect"
PUBLIC_PACKAGES = (FACADE, "logs", "specs")  # their modules must not have the name of a public function

# Storeys from the top to the bottom, each with its rooms in the wing of the library and in the wing of logs. A room
# imports only from storeys below its own, and the library does not import from logs.
STOREYS = (
    (("cli",), ()),
    ((FACADE,), ()),
    (("engines", "integrations"), ()),
    ((), ("logs",)),
    ((), ("logs.conversion", "logs.ranking")),
    (("strict", "web", "explanation"), ("logs.report",)),
    (("specs",), ("logs.scan",)),
    ((), ("logs.output",)),
    (("security", "text", "document", "crawl"), ("logs.columnar",)),
    (("special_purpose", "composition", "normalization", "iri"), ("logs.input",)),
    (("percent", "resolution", "query"), ("logs.formats",)),
    (("bulk", "paths", "spans"), ("logs.errors", "logs.temporary")),
    (("reference", "address", "schemes", "excerpt", "domain_names"), ()),
    (("parameters", "boundaries"), ()),
    (("bitmaps",), ()),
    (("escapes", "lazy_modules", "arrow_packages"), ()),
    (("characters", "character_ranges", "repetition", "text_types", "suggestion", "extras", "hidden_pandas"), ()),
)
STOREY_OF = {room: len(STOREYS) - number for number, wings in enumerate(STOREYS) for wing in wings for room in wing}
WING_OF_LOGS = {room for _, wing in STOREYS for room in wing}
USERS_OF_LOGS = {"cli", FACADE, "engines"}  # rooms above both wings

Kind = Literal["early", "late", "typing"]


class Import(NamedTuple):
    """An import of one module of the package by another.

    Attributes:
        importer: the importing module.
        module: the imported module, or the module that a name is imported from.
        name: the imported name; None where the module itself is imported.
        kind: "early" when the importer is loaded, "late" in a function, "typing" under `if TYPE_CHECKING`.
        line: the line number in the importer.
    """

    importer: str
    module: str
    name: str | None
    kind: Kind
    line: int

    def __str__(self) -> str:
        name = f", {self.name}" if self.name else ""
        return f"{self.importer}, line {self.line}: imports {self.module}{name}"


class Module:
    """A module of the package, parsed but not imported.

    Attributes:
        name: its name.
        tree: its syntax tree.
        lines: the number of its lines.
    """

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self.tree = ast.parse(source)
        self.lines = source.count("\n")

    @cached_property
    def exports(self) -> list[str] | None:
        """The names in `__all__`, or None where the module has none."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names: list[str] = ast.literal_eval(node.value)
                return names
        return None

    @property
    def public_classes(self) -> list[str]:
        """The names of its public classes."""
        classes = (node.name for node in self.tree.body if isinstance(node, ast.ClassDef))
        return [name for name in classes if not name.startswith("_")]

    @property
    def summary(self) -> str:
        """The first sentence of its docstring, without the period."""
        first, *_ = (ast.get_docstring(self.tree) or "").split("\n\n")
        return " ".join(first.split()).partition(". ")[0].removesuffix(".")


class Structure:
    """The modules of the package, their imports and their rooms.

    Attributes:
        modules: the modules by name.
        imports: the imports among them.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.modules = {name: Module(name, source) for name, source in sorted(sources.items())}
        self.imports = [found for module in self.modules.values() for found in self._find_imports(module)]

    @staticmethod
    def room(module: str) -> str | None:
        """Return the room of a module, or None where `STOREYS` has no room for it.

        >>> Structure.room("logs.formats.apache"), Structure.room("logs"), Structure.room("logs.new")
        ('logs.formats', 'logs', None)
        """
        if module == "__main__":
            return "cli"
        if module in STOREY_OF:
            return module
        return next((room for room in STOREY_OF if room != "logs" and module.startswith(f"{room}.")), None)

    @property
    def cycle(self) -> list[str]:
        """Modules that import each other in a circle, the first repeated at the end; empty if there is no circle."""
        sorter = TopologicalSorter[str]()
        for found in self.imports:
            sorter.add(found.importer, found.module)
        try:
            sorter.prepare()
        except CycleError as error:
            cycle: list[str] = error.args[1]
            return cycle[::-1]
        return []

    @property
    def misdirected_imports(self) -> list[Import]:
        """Imports from another room that is not on a storey below, and imports of the library from logs."""
        breaches = []
        for found in self.imports:
            importer, imported = self.room(found.importer), self.room(found.module)
            if importer and imported and importer != imported:
                into_logs = imported in WING_OF_LOGS and importer not in WING_OF_LOGS | USERS_OF_LOGS
                if into_logs or STOREY_OF[importer] <= STOREY_OF[imported]:
                    breaches.append(found)
        return breaches

    @property
    def room_imports(self) -> dict[str, set[str]]:
        """The rooms below that each room imports from; rooms without modules are left out."""
        present = {self.room(module) for module in self.modules}
        rooms: dict[str, set[str]] = {room: set() for room in STOREY_OF if room in present}
        for found in self.imports:
            importer, imported = self.room(found.importer), self.room(found.module)
            if importer and imported and STOREY_OF[importer] > STOREY_OF[imported]:
                rooms[importer].add(imported)
        return rooms

    @property
    def direct_imports(self) -> dict[str, set[str]]:
        """`room_imports` without transitive ones: rooms that are also reached through another room are left out."""
        rooms = self.room_imports
        reached: dict[str, set[str]] = {}
        for room in reversed(rooms):
            reached[room] = rooms[room].union(*(reached[other] for other in rooms[room]))
        return {
            room: {other for other in imported if not any(other in reached[near] for near in imported)}
            for room, imported in rooms.items()
        }

    def lines(self, room: str) -> int:
        """Count the lines of a room."""
        return sum(module.lines for name, module in self.modules.items() if self.room(name) == room)

    def _find_imports(self, module: Module) -> Iterator[Import]:
        aliases: dict[str, Import] = {}
        for statement, kind in _import_statements(module.tree, "early"):
            for alias in statement.names:
                if found := self._resolve(module.name, statement, alias.name, kind):
                    yield found
                    if found.name is None:
                        aliases[alias.asname or alias.name] = found
        for node in ast.walk(module.tree):  # after `from urisect.logs import formats`, `formats.FORMATS` is an import
            if isinstance(node, ast.Attribute) and (imported := aliases.get(ast.unparse(node.value))):
                yield imported._replace(name=node.attr, line=node.lineno)

    def _resolve(self, importer: str, statement: ast.Import | ast.ImportFrom, name: str, kind: Kind) -> Import | None:
        if isinstance(statement, ast.Import):
            module = _short(name)
            return Import(importer, module, None, kind, statement.lineno) if module in self.modules else None
        package = self.modules.get(_short(statement.module or ""))
        if package is None:
            return None
        module = name if package.name == FACADE else f"{package.name}.{name}"
        if module in self.modules and name not in (package.exports or ()):
            return Import(importer, module, None, kind, statement.lineno)
        return Import(importer, package.name, name, kind, statement.lineno)


def _import_statements(node: ast.AST, kind: Kind) -> Iterator[tuple[ast.Import | ast.ImportFrom, Kind]]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, kind
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        kind = "late"
    elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        kind = "typing"
    for child in ast.iter_child_nodes(node):
        yield from _import_statements(child, kind)


def _short(module: str) -> str:
    return module.removeprefix(f"{FACADE}.")


def read_structure(package: Path = ROOT / "src" / FACADE) -> Structure:
    """Read the source of the package.

    Args:
        package: its directory.
    """
    sources = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sources[name or FACADE] = path.read_text("utf-8")
    return Structure(sources)
