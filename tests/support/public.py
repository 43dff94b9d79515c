"""List the public names of the package: functions and classes, and the methods and properties of the classes."""

import ast
import builtins
import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple

import urisect
from tests.support.modules import ENGINES, INTEGRATIONS, is_importable
from urisect import crawl, document, iri, logs, percent, query, specs, strict, text, web

__all__ = ["MODULES", "Documented", "documented", "public_names"]

MODULES = (
    *(urisect, strict, specs, percent, query, iri, web, text, document, crawl, logs),
    *(importlib.import_module(name) for name in (*ENGINES, *INTEGRATIONS) if is_importable(name)),
)


class Documented(NamedTuple):
    """A function, a class, a method or a property.

    Attributes:
        module: the public module.
        name: its name there: "split", "Reference", "Reference.host".
        value: the class, or the function that is called, also for a property.
        is_property: whether it is read like an attribute.
    """

    module: ModuleType
    name: str
    value: Callable[..., Any]
    is_property: bool = False

    def __str__(self) -> str:
        return f"{self.module.__name__}.{self.name}"

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, without self."""
        if self.is_property or inspect.isclass(self.value):
            return []
        return [name for name in inspect.signature(self.value).parameters if name not in {"self", "cls"}]

    @property
    def raised(self) -> set[type[BaseException]]:
        """The errors in its own `raise` statements."""
        if inspect.isclass(self.value):
            return set()
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.value)))
        names = {
            node.exc.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name)
        }
        names_in_module = {**vars(builtins), **inspect.unwrap(self.value).__globals__}
        return {error for name in names if isinstance(error := names_in_module[name], type)}

    @property
    def annotations(self) -> Iterator[str]:
        """The types in the signature, and those of the attributes of a class, as text."""
        if inspect.isclass(self.value):
            for name, annotation in inspect.get_annotations(self.value).items():
                if not name.startswith("_"):
                    yield f"{name}: {inspect.formatannotation(annotation)}"
            if inspect.isabstract(self.value) or getattr(self.value, "_is_protocol", False):
                return
        with suppress(ValueError):  # a warning has the signature of its base, which Python cannot tell
            yield re.sub(r" at 0x\w+", "", str(inspect.signature(self.value)))


def public_names() -> list[tuple[ModuleType, str]]:
    """Return all public names, each with its module."""
    return [(module, name) for module in MODULES for name in module.__all__]


def documented() -> Iterator[Documented]:
    """Yield every public function and class, and the public methods and properties that a class defines."""
    for module, name in public_names():
        value = getattr(module, name)
        if inspect.isroutine(value):
            yield Documented(module, name, value)
        elif inspect.isclass(value):
            yield Documented(module, name, value)
            for inner, member in vars(value).items():
                if inner.startswith("_"):
                    continue
                if isinstance(member, classmethod | staticmethod) or inspect.isfunction(member):
                    yield Documented(module, f"{name}.{inner}", getattr(value, inner))
                elif isinstance(member, property) and member.fget:
                    yield Documented(module, f"{name}.{inner}", member.fget, is_property=True)
                elif isinstance(member, functools.cached_property):
                    yield Documented(module, f"{name}.{inner}", member.func, is_property=True)
