"""The structure of the package: rooms on storeys, imports downwards only, nothing private used by another module."""

import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable

import pytest

from tests.support import house
from tests.support.house import DRAWING, PAGE
from tests.support.paths import ROOT
from tests.support.structure import FACADE, PUBLIC_PACKAGES, STOREY_OF, Structure, read_structure

STRUCTURE = read_structure()


def assert_none(breaches: Iterable[object]) -> None:
    """Fail with a list of all breaches."""
    found = [str(breach) for breach in breaches]
    assert not found, "\n".join(found)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_every_module_has_a_room() -> None:
    assert_none(module for module in STRUCTURE.modules if Structure.room(module) is None)


def test_every_room_has_a_module() -> None:
    assert_none(room for room in STOREY_OF if room not in STRUCTURE.modules)


def test_every_module_says_what_it_does() -> None:
    assert_none(name for name, module in STRUCTURE.modules.items() if not module.summary)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert_none([" imports ".join(STRUCTURE.cycle)] if STRUCTURE.cycle else [])


def test_imports_run_downwards_only() -> None:
    assert_none(STRUCTURE.misdirected_imports)


def test_every_module_declares_what_others_may_import() -> None:
    assert_none(name for name, module in STRUCTURE.modules.items() if module.exports is None)


def test_nothing_private_is_declared() -> None:
    exports = ((name, export) for name, module in STRUCTURE.modules.items() for export in module.exports or ())
    assert_none(f"{name}.{export}" for name, export in exports if is_private(export))


def test_nothing_private_is_imported() -> None:
    assert_none(found for found in STRUCTURE.imports if found.name and is_private(found.name))


def test_only_declared_names_are_imported() -> None:
    undeclared = defaultdict(set)
    for found in STRUCTURE.imports:
        if found.name and not found.name.startswith("_"):
            undeclared[found.module].add(found.name)
    for module, names in undeclared.items():
        names.difference_update(STRUCTURE.modules[module].exports or ())
    assert_none(f"{module}: {', '.join(sorted(names))}" for module, names in sorted(undeclared.items()) if names)


def test_no_two_modules_have_public_classes_of_the_same_name() -> None:
    homes = defaultdict(list)
    for name, module in STRUCTURE.modules.items():
        for public_class in module.public_classes:
            homes[public_class].append(name)
    assert_none(f"{name}: {', '.join(modules)}" for name, modules in homes.items() if len(modules) > 1)


@pytest.mark.parametrize("package", PUBLIC_PACKAGES)
def test_no_module_hides_a_public_function_of_its_package(package: str) -> None:
    name = FACADE if package == FACADE else f"{FACADE}.{package}"
    public = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(public.__path__)}
    assert_none(each for each in public.__all__ if each in modules and not inspect.ismodule(getattr(public, each)))


def test_drawing_shows_the_structure() -> None:
    assert house.is_current(DRAWING.read_text("utf-8"), house.draw(STRUCTURE)), "run make pages"


def test_page_lists_the_storeys() -> None:
    page = PAGE.read_text("utf-8")
    assert page == house.with_storeys(page, STRUCTURE), "run make pages"


def test_guide_for_contributors_names_files_that_exist() -> None:
    names = re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert len(names) > 20
    assert_none(name for name in names if not (ROOT / name).exists())
