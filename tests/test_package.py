"""The package itself: what `import urisect` loads, which names it has, `python -m urisect`, and its wheel."""

import ast
import importlib
import importlib.metadata
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import pytest

import urisect
from tests.support.modules import import_modules
from tests.support.paths import ROOT

PUBLIC_MODULES = [
    *("crawl", "document", "engines", "integrations", "iri", "logs"),
    *("percent", "query", "specs", "strict", "text", "web"),
]
PUBLIC = sorted([*urisect.__all__, *PUBLIC_MODULES, "__version__"])
MODULES = [module.name for module in pkgutil.walk_packages(urisect.__path__, "urisect.")]

# What a first use may load, besides what `re`, `typing` and `importlib` load.
LOADED_BY = {
    "pass": set[str](),
    "dir(urisect)": set[str](),
    "urisect.split": {"character_ranges", "reference", "text_types"},
    "urisect.unsplit": {"character_ranges", "reference", "text_types"},
    "urisect.split_lines": {"bulk", "character_ranges", "reference", "text_types"},
    "urisect.resolve": {"character_ranges", "paths", "reference", "resolution", "text_types"},
}


def in_a_new_process(program: str) -> Any:
    """Run a program in a new interpreter, and return the value that it prints as JSON."""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


@pytest.mark.parametrize("use", LOADED_BY)
def test_a_use_loads_only_the_modules_it_needs(use: str) -> None:
    loaded = in_a_new_process(
        "import importlib, json, re, sys, typing; before = set(sys.modules); import urisect; "
        f"{use}; print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    assert loaded == sorted(["urisect", *(f"urisect.{name}" for name in LOADED_BY[use])])


def test_dir_lists_the_public_names_and_nothing_else() -> None:
    assert dir(urisect) == PUBLIC


def test_every_public_name_can_be_used_after_import_urisect() -> None:
    types = in_a_new_process(
        "import json, urisect; "
        "print(json.dumps({name: type(getattr(urisect, name)).__name__ for name in dir(urisect)}))"
    )
    assert sorted(types) == PUBLIC
    assert [name for name, kind in types.items() if kind == "module"] == PUBLIC_MODULES


def test_a_star_import_brings_the_names_of_all() -> None:
    names = in_a_new_process(
        "import json; before = set(globals()); from urisect import *; "
        "print(json.dumps(sorted(set(globals()) - before - {'before'})))"
    )
    assert names == urisect.__all__


def test_a_name_is_a_plain_global_after_its_first_use() -> None:
    for name in PUBLIC:
        value = getattr(urisect, name)
        assert vars(urisect)[name] is value


def test_the_version_is_that_of_the_installed_package() -> None:
    assert urisect.__version__ == importlib.metadata.version("urisect")


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("splt", '; did you mean "split"?'), ("normalise", '; did you mean "normalize"?'), ("xyz", "")],
)
def test_an_unknown_name_is_an_attribute_error_with_a_suggestion(name: str, suggestion: str) -> None:
    with pytest.raises(AttributeError, match=rf"^module 'urisect' has no attribute '{name}'{re.escape(suggestion)}$"):
        getattr(urisect, name)
    with pytest.raises(ImportError, match=f"cannot import name '{name}'"):
        exec(f"from urisect import {name}")  # noqa: S102  as a user writes it


def test_no_module_hides_a_function() -> None:
    assert list(import_modules())
    for name in urisect.__all__:
        assert not isinstance(getattr(urisect, name), ModuleType)
        assert f"urisect.{name}" not in MODULES


def test_type_checkers_and_the_interpreter_find_the_same_names() -> None:
    """The imports for type checkers name each public name, and the module that it is loaded from."""
    tree = ast.parse(Path(urisect.__file__).read_text(encoding="utf-8"))
    [block] = (node for node in tree.body if isinstance(node, ast.If))
    imported = {
        (node.module, alias.name) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == {
        *(("urisect", module) for module in PUBLIC_MODULES),
        *((f"urisect.{urisect._DEFINED_IN[name]}", name) for name in urisect.__all__),
    }


def test_all_names_everything_that_other_modules_import() -> None:
    """In the modules outside the rooms specs, logs and cli."""
    imported = [
        (node.module, alias.name)
        for file in Path(urisect.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and re.fullmatch(r"urisect\.[a-z_]+", node.module)
        for alias in node.names
        if f"{node.module}.{alias.name}" not in MODULES
    ]
    missing = [(module, name) for module, name in imported if name not in importlib.import_module(module).__all__]
    assert missing == []
    assert len(imported) > 100


def test_the_command_runs_as_a_module() -> None:
    pytest.importorskip("click")
    command = [sys.executable, "-m", "urisect", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout == f"urisect, version {urisect.__version__}\n"
    # The exit status is that of the command.
    assert subprocess.run([*command[:3], "nonsense"], capture_output=True, check=False).returncode == 2
    listed = subprocess.run([*command[:3], "split", os.devnull], capture_output=True, text=True, check=True)
    assert listed.stdout == ""


def test_the_wheel_has_completion_and_a_man_page_for_each_command(tmp_path: Path) -> None:
    app = pytest.importorskip("urisect.cli.app")
    wheel = build_wheel(tmp_path)
    with ZipFile(wheel) as archive:
        shared = {
            path.partition(".data/data/")[2]: archive.read(path) for path in archive.namelist() if ".data/" in path
        }
    names = ["urisect", *(f"urisect-{name}" for names in app.COMMANDS.values() for name in names)]
    completion = [
        *("share/bash-completion/completions/urisect", "share/fish/vendor_completions.d/urisect.fish"),
        "share/zsh/site-functions/_urisect",
    ]
    assert sorted(shared) == sorted([*completion, *(f"share/man/man1/{name}.1" for name in names)])
    for path in completion:
        assert b"_URISECT_COMPLETE" in shared[path]
    for name in names:
        page = shared[f"share/man/man1/{name}.1"]
        assert re.findall(rb"^\.SH (.+)", page, re.MULTILINE)[:3] == [b"NAME", b"SYNOPSIS", b"DESCRIPTION"]
        assert not re.search(rb"[`\b]|\n\n", page)  # marks of help texts
        if groff := shutil.which("groff"):
            printed = subprocess.run([groff, "-man", "-Tutf8", "-ww"], input=page, capture_output=True, check=True)
            assert printed.stderr == b""
    assert rb"""string of Apache (\(aq%h %t "%r" %>s\(aq)""" in shared["share/man/man1/urisect-formats.1"]
    assert build_wheel(tmp_path / "narrow", COLUMNS="40").read_bytes() == wheel.read_bytes()


def build_wheel(folder: Path, **environment: str) -> Path:
    """Build the wheel with the packages that are installed."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, check=True)
    return next(folder.glob("*.whl"))
