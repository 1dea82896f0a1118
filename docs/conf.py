"""The site: ``make docs`` builds it into docs/_build/html, without warnings and without network."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version as version_of
from pathlib import Path

import matplotlib as mpl
from sphinx.errors import ExtensionError

sys.path.append(str(Path(__file__).parent))
from reference import commands, reference, signature_of

# Examples are figures, not windows; and two cores are enough for everybody.
mpl.use("agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")

project = "voteprune"
copyright = "the voteprune authors, BSD-3-Clause"
version = release = version_of("voteprune")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
# The tables of results/ stand in results.md already.
exclude_patterns = ["_build", "generated", "gallery/**/README.rst", "results/tables"]
templates_path = ["_templates"]

# Pages are Markdown, as the repository shows them too; headings can be linked to.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# In docstrings `prune` is a name of the package if there is one, and emphasis if not.
default_role = "autolink"
# A block that names no language is what a program prints.
highlight_language = "none"
autosummary_generate = ["api"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
napoleon_google_docstring = False
# As attributes, not fields: a field's name is text, in which `solution_` is a link to "solution".
napoleon_use_ivar = False
# Options keep their two hyphens.
smartquotes = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"breast_cancer",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("voteprune",),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "min_reported_time": 5,
    "ignore_repr_types": r"matplotlib|voteprune\.displays",
}

html_theme = "furo"
html_title = "voteprune"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False

# What the package says about itself is written before Sphinx looks for pages: the reference of all
# public names, so that none can be forgotten, and that of the command line, which cli.md includes.
_DOCS = Path(__file__).parent


def _more() -> str:
    """Return a table of contents of the pages that index.md does not name."""
    named = (_DOCS / "index.md").read_text(encoding="utf-8").splitlines()
    pages = [path.relative_to(_DOCS).with_suffix("").as_posix() for path in _DOCS.rglob("*.md")]
    skipped = ("_build", "api", "gallery", "generated")
    more = [page for page in sorted(pages) if page not in [*named, "index"]]
    more = [page for page in more if page.split("/")[0] not in skipped]
    more = [page for page in more if not page.startswith("results/tables/")]
    return "\n".join(["```{toctree}", ":hidden:", ":caption: More", "", *more, "```", ""])


def _without_types(app, what, name, obj, options, signature, returns):
    """Show a class by its parameters and their defaults; types and meaning stand below it."""
    bare = signature_of(obj) if what == "class" and signature else None
    return None if bare is None else (bare, None)


def _check_site(app, error):
    """Fail the build where the reference tells names or commands that do not exist."""
    if error is not None or app.builder.name != "html":
        return
    page = (Path(app.outdir) / "cli.html").read_text(encoding="utf-8")
    wrong = [words for words in ("-m sphinx", "\N{EN DASH}target") if words in page]
    page = (Path(app.outdir) / "api/voteprune.PrunedVotingClassifier.html").read_text("utf-8")
    wrong += [
        f"no attribute {name}"
        for name in ("classes_", "solution_", "committee_", "named_estimators_")
        if f'id="voteprune.PrunedVotingClassifier.{name}"' not in page
    ]
    if "time_limit=60.0" not in re.sub("<.*?>", "", page):
        wrong.append("no default of time_limit")
    if wrong:
        raise ExtensionError(f"the reference is wrong: {', '.join(wrong)}")


def setup(app):
    """Tell Sphinx."""
    app.connect("autodoc-process-signature", _without_types)
    app.connect("build-finished", _check_site)


(_DOCS / "generated").mkdir(exist_ok=True)
(_DOCS / "generated" / "more.md").write_text(_more(), encoding="utf-8")
(_DOCS / "generated" / "cli.md").write_text(commands(), encoding="utf-8")
(_DOCS / "api.rst").write_text(reference(), encoding="utf-8")
