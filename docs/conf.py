"""The documentation site: `make docs`. The pages stay readable as Markdown in the repository."""

import re
from importlib.metadata import version as installed
from typing import Any

project = "sezzlee_py"
author = "The sezzlee_py authors"
project_copyright = author
release = version = installed("sezzlee-py")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["conf.py"]

# Headings can be linked as on a forge: page.md#heading.
myst_heading_anchors = 4

# Docstrings are written for people who read code: single backticks are code.
default_role = "code"
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "sezzlee_py"
html_static_path: list[str] = []

# Docstrings point contributors at the specification, which readers of the site do not have.
_SPECIFICATION = re.compile(
    r"\s*\((?:spec: [^()]*"
    r"|(?:arguments|identity|ranking|results|search|transport|visibility) \d+)\)"
)


def setup(app: Any) -> None:
    """Leave out what docstrings say to contributors."""
    app.connect("autodoc-process-docstring", _for_readers)


def _for_readers(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = _SPECIFICATION.sub("", "\n".join(lines)).split("\n")
