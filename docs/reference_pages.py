"""An extension of Sphinx: render docstrings, signatures and help texts for readers of the reference."""

import inspect
import re
from collections.abc import Callable, Iterator

import click
import sphinx.util.typing
from docutils import nodes
from sphinx.addnodes import desc_signature, pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject, PythonDomain  # type: ignore[attr-defined]  # in its documentation
from sphinx.environment import BuildEnvironment

__all__ = ["setup"]

# Docstrings are plain text with backticks, lists and examples, not reStructuredText.


def _skip_member(*event: object) -> bool | None:
    """Leave out the fields of named tuples, which have no docstrings of their own: "Attributes" describes them."""
    _app, _what, _name, member, *_ = event
    return True if type(member).__name__ == "_tuplegetter" else None


def _as_rst(text: str) -> str:
    """Escape what is markup in reStructuredText, except backticks, and what would become a link; link to pages."""

    def convert(found: re.Match[str]) -> str:
        if found["page"]:
            return f":doc:`/{found['page']}`"
        return found["code"].replace("\\", r"\\") if found["code"] else f"\\{found[0]}"

    return re.sub(r"(?P<code>`[^`]*`)|docs/(?P<page>[\w/]+)\.md|[\\*|]|(?<=\w):(?=//)|(?<=\w)@(?=\w)", convert, text)


def _convert_docstring(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Convert a docstring, except its examples, to reStructuredText."""
    parts = re.split(r"^( *>>> (?:.*\n(?! *$))*.*)$", "\n".join(lines), flags=re.MULTILINE)
    parts[::2] = map(_as_rst, parts[::2])
    lines[:] = "".join(parts).split("\n")


def _shorten_types(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Write the types of attributes without their modules."""
    for number, line in enumerate(lines):
        if line.startswith(":vartype "):
            lines[number] = re.sub(r"(?<![\w.])(?=(?:[a-z]\w*\.)+[A-Z])", "~", line)


# Signatures, as a reader knows the types.

# In the order of replacement. `normalization` stands below `specs`, and cannot name the class Specification. Pairs may
# be any iterable, but mypy cannot infer the types of a dict that may also be an iterable of pairs.
NAMES_IN_SIGNATURES: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"Specification\(name='(rfc\w+)', title='[^']*'\)": lambda found: found[1].upper(),
    r"~[\w.]+\.SupportsNormalization\b": "~urisect.specs.Specification",
    r"\bBytesLike\b": "bytes | bytearray | memoryview",
    r"~(re\.Pattern)\b": r"\1",
    r"~pyarrow\.lib\.": "pyarrow.",
    r"~?\bpa\.": "pyarrow.",
    r"~?[\w.]*Sequence\[(tuple\[[^]]*\])\] \| ~?[\w.]*Iterator\[tuple\[[^]]*\]\] \| ~?[\w.]*ItemsView\[[^]]*\]": (
        r"~collections.abc.Iterable[\1]"
    ),
    r"<factory>|mappingproxy\(\{\}\)": "{}",
}


class ReadableSignature(PyObject):
    """A mixin for the directives of Python objects."""

    def get_signatures(self) -> list[str]:
        """Write an overload for str and one for bytes; others of the same text are for type checkers."""
        signatures = super().get_signatures()
        if len(signatures) > 1:
            signatures = [re.sub(r"\bAnyStr\b", "str", signature) for signature in signatures]
        return list(dict.fromkeys(signatures))

    def handle_signature(self, sig: str, signode: desc_signature) -> tuple[str, str]:
        """Change the signature before it is parsed."""
        for pattern, name in NAMES_IN_SIGNATURES.items():
            sig = re.sub(pattern, name, sig)
        if self.objtype in {"class", "exception"}:
            sig = sig.removesuffix("()")
        if "type" in self.options:
            self.options["type"] = re.sub(r"~(re\.Pattern)\b", r"\1", self.options["type"])
        # Sphinx counts the names of modules, too, which it does not show.
        shown = re.sub(r"~[\w.]+\.|^[\w.]+\.", "", sig)
        module = "" if self.env.ref_context.get("py:class") else f"{self.options.get('module', '')}."
        self.options.pop("single-line-parameter-list", None)
        prefix = "class " if self.objtype == "class" else ""
        if len(prefix) + len(module) + len(shown) <= self.config.python_maximum_signature_line_length:
            self.options["single-line-parameter-list"] = None
        return super().handle_signature(sig, signode)


def _replace_dashes(_app: Sphinx, document: nodes.document) -> None:
    """Write a dash after the name of a parameter, which Sphinx leaves to `smartquotes`."""
    for text in [*document.findall(nodes.Text)]:
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" – "))


def _find_target(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Link a name in backticks, or in a signature, to the public object of that name in another module."""
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"].removesuffix("()")
    if "urisect." in name:  # the module of a class that is public elsewhere
        name = name.rpartition(".")[2]
    known = env.domains.python_domain.objects
    kinds = {"class", "data", "exception", "function"}
    public = [
        full
        for full, found in known.items()
        if full.endswith(f".{name}") and found.objtype in kinds and not found.aliased
    ]
    if len(public) != 1:
        return None
    node["reftarget"] = public[0]
    return env.domains.python_domain.resolve_xref(env, node["refdoc"], app.builder, "obj", public[0], node, content)


# The command, from its help texts.

# Code in a help text: what is in backticks, options, and placeholders with ":" between them.
HELP_CODE = re.compile(r"(`[^`]+`|(?<![\w`-])--?[a-z][a-z-]*|\b[A-Z]+(?::[A-Z]+)+)")


def _help_as_rst(text: str) -> str:
    """Convert a paragraph of a help text."""
    parts = HELP_CODE.split(text)
    parts[::2] = (re.sub(r"[\\*|_:]", r"\\\g<0>", part) for part in parts[::2])
    parts[1::2] = (f"``{part.strip('`')}``" for part in parts[1::2])
    return "".join(parts)


def _help_lines(text: str) -> Iterator[str]:
    r"""Convert a help text. A paragraph after "\b" has examples, or a list of terms and their meanings."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    for paragraph in paragraphs:
        if not paragraph.startswith("\b"):
            yield from (*_help_as_rst(paragraph).splitlines(), "")
            continue
        head, *lines = paragraph.removeprefix("\b\n").splitlines()
        if not lines:
            yield from (".. code-block:: console", "", f"   $ {head.strip()}", "")
        elif head == "Examples:":
            yield from ("Examples:", "", ".. code-block:: console", "")
            yield from (*(f"   $ {line.strip()}" for line in lines), "")
        else:
            yield from (head, "", ".. list-table::", "   :widths: auto", "")
            for term, meaning in re.findall(r"^  (\S+)  +(.*(?:\n    +.*)*)", "\n".join(lines), re.MULTILINE):
                yield from (f"   * - ``{term}``", f"     - {_help_as_rst(' '.join(meaning.split()))}")
            yield ""


def _describe_command(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    lines[:] = _help_lines(context.command.help or "")


def _describe_epilog(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    lines[:] = _help_lines(context.command.epilog or "")


def _describe_options(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """List the options with their values and defaults; --help only once, for the whole command."""
    lines.clear()
    command = context.command
    context = click.Context(command, **command.context_settings)  # sphinx-click ignores these settings
    for option in command.get_params(context):
        is_help = "--help" in option.opts and not isinstance(command, click.Group)
        record = option.get_help_record(context)
        if record is None or isinstance(option, click.Argument) or is_help:
            continue
        names, text = record
        text, _, extra = text.partition("  [")
        lines += [f".. option:: {names}", "", f"   {_help_as_rst(text)}"]
        if default := re.search(r"default: (?:\((.+?)\)|([^;\]]+))", extra):
            lines += [f"   Default: {_help_as_rst(default[1]) if default[1] else f'``{default[2]}``'}."]
        lines += [""]


def _describe_arguments(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Leave out the arguments: the usage names them, and the description explains them."""
    lines.clear()


def _is_hidden(typ: object) -> bool:  # noqa: ARG001  called for each type variable
    """Show every type variable: otherwise Sphinx writes Reference for Reference[AnyStr]."""
    return False


def setup(app: Sphinx) -> None:
    """Connect the functions above to Sphinx."""
    app.connect("autodoc-skip-member", _skip_member)
    app.connect("autodoc-process-docstring", _convert_docstring, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", _shorten_types, priority=600)  # after it
    app.connect("missing-reference", _find_target)
    app.connect("doctree-read", _replace_dashes)
    app.connect("sphinx-click-process-description", _describe_command)
    app.connect("sphinx-click-process-epilog", _describe_epilog)
    app.connect("sphinx-click-process-options", _describe_options)
    app.connect("sphinx-click-process-arguments", _describe_arguments)
    for name, directive in PythonDomain.directives.items():
        if issubclass(directive, PyObject):
            readable = type(directive.__name__, (ReadableSignature, directive), {})
            app.add_directive_to_domain("py", name, readable, override=True)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    sphinx.util.typing.is_system_TypeVar = _is_hidden
