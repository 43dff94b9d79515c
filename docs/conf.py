"""Configuration of Sphinx: `make docs` builds the site into build/docs."""

from importlib.metadata import version as installed_version

from sphinx.application import Sphinx

project = "urisect"
author = "The urisect developers"
version = release = installed_version("urisect")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
]

# Pages. A link to a page or a heading that does not exist is a warning, and warnings end the build.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
default_role = "py:obj"
pygments_style, pygments_dark_style = "friendly", "github-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The reference, from the docstrings.
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_use_ivar = True
napoleon_use_rtype = False

html_title = "urisect"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_theme_options = {
    "source_repository": "https://github.com/urisect/urisect/",
    "source_branch": "main",
    "source_directory": "docs/",
}


def _skip_member(*event: object) -> bool | None:
    """Leave out the fields of named tuples, which have no docstrings of their own: "Attributes" describes them."""
    _app, _what, _name, member, *_ = event
    return True if type(member).__name__ == "_tuplegetter" else None


def setup(app: Sphinx) -> None:
    """Connect the function above to Sphinx."""
    app.connect("autodoc-skip-member", _skip_member)
