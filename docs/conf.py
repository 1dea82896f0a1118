"""The site: ``make docs`` builds it into docs/_build/html, without warnings and without network."""

from __future__ import annotations

import os
from importlib.metadata import version as version_of

import matplotlib as mpl
from sphinx_gallery.sorting import FileNameSortKey

# Examples are figures, not windows; and two cores are enough for everybody.
mpl.use("agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")

project = "voteprune"
copyright = "the voteprune authors, BSD-3-Clause"
version = release = version_of("voteprune")

extensions = [
    "cyclopts.sphinx_ext",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

# Pages are Markdown, as the repository shows them too; headings can be linked to.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# In docstrings `prune` is a name of the package if there is one, and emphasis if not.
default_role = "autolink"
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_use_ivar = True

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"breast_cancer",
    "within_subsection_order": FileNameSortKey,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("voteprune",),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "min_reported_time": 5,
}

html_theme = "furo"
html_title = "voteprune"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
