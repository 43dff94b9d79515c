"""Configuration of Sphinx: `make docs` builds the site into build/docs."""

import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent
SITE_FILES = ROOT / "build" / "site"  # what the page "Try it" loads; `make docs` makes them
sys.path.append(str(ROOT / "docs"))
LICENSE = "https://github.com/urisect/urisect/blob/main/LICENSE"

project = "urisect"
author = "The urisect developers"
version = release = installed_version("urisect")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "reference_pages",
]

# Pages. A link to a page or a heading that does not exist is a warning, and warnings end the build.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
default_role = "py:obj"
smartquotes = False  # quotation marks often enclose characters of a URI
pygments_style, pygments_dark_style = "friendly", "github-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The reference, from the docstrings.
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_display_short_literal_types = True
python_maximum_signature_line_length = 86
napoleon_use_ivar = True
napoleon_use_rtype = False

html_title = "urisect"
html_theme = "furo"
html_favicon = "_static/icon.svg"
html_static_path = ["_static"]
html_extra_path = [str(SITE_FILES)] if SITE_FILES.exists() else []
html_css_files = ["site.css", "reference.css"]
html_show_copyright = False
html_theme_options = {
    "source_repository": "https://github.com/urisect/urisect/",
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#0969da", "color-brand-content": "#0969da"},
    "dark_css_variables": {"color-brand-primary": "#4493f8", "color-brand-content": "#4493f8"},
}


def _insert_file(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Replace a line that is only a link to a file of the root directory, such as README.md, by the file."""
    source[0] = re.sub(r"^\[(\w+\.md)\]\(\.\./\1\)$", _read_file, source[0], flags=re.MULTILINE)


def _read_file(link: re.Match[str]) -> str:
    """Read a file of the root directory; its links become those of a page."""
    text = (ROOT / link[1]).read_text("utf-8").replace("](docs/", "](").replace("](LICENSE)", f"]({LICENSE})")
    return re.sub(r"\]\(([A-Z]+\.md)\)", lambda name: f"]({name[1].lower()})", text)


def setup(app: Sphinx) -> None:
    """Connect the functions above to Sphinx."""
    app.connect("source-read", _insert_file)
