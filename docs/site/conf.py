"""Sphinx's settings for the site. scripts/docs.sh gathers the pages (stage.py) and says by the environment where things are:
MYRIAPOD_SOURCE, the repository; MYRIAPOD_DOXYGEN, Doxygen's XML of the headers; MYRIAPOD_SOURCE_URL, a web address of the source tree (may be absent)."""
import os
import re
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
myriapod_root = Path(os.environ["MYRIAPOD_SOURCE"]).resolve()
myriapod_source_url = os.environ.get("MYRIAPOD_SOURCE_URL", "")

project = "Myriapod"
author = "The Myriapod maintainers"
copyright = author  # noqa: A001
found = re.search(r"^project\(myriapod VERSION ([0-9.]+)", (myriapod_root / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
if not found:
    sys.exit("CMakeLists.txt: no `project(myriapod VERSION ..)`")
version = release = found.group(1)
html_title = f"Myriapod {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe", "sphinx_copybutton", "source_pages", "markdown_docstrings", "navigation"]
root_doc = "index"
templates_path = [str(here / "templates")]
html_static_path = [str(here / "static")]
html_css_files = ["site.css"]
html_js_files = ["versions.js"]
html_theme = "furo"
html_sidebars = {"**": ["sidebar/brand.html", "versions.html", "sidebar/search.html", "sidebar/scroll-start.html", "sidebar/navigation.html",
                        "sidebar/scroll-end.html"]}
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
smartquotes = False  # a quote in a docstring is what one types
highlight_language = "none"  # a block without a word is text

myst_heading_anchors = 6  # links to headings, by the names that they have where the repository is read
suppress_warnings = ["myst.header", "ref.python"]  # headings of the third depth below a title; `bytes`, the type, beside attributes of this name
nitpicky = True  # what docstrings and comments name is there; types of Python's, NumPy's and C's own libraries, and private bases, are not ours to show
nitpick_ignore_regex = [("py:.*", r"(?!myriapod\.).*"), ("py:.*", r"myriapod\.(.*\.)?_.*"), ("c:identifier", r"u?int\d+_t|size_t")]

autodoc_mock_imports = ["torch", "unisim", "wandb", "tensordict", "rsl_rl", "stable_baselines3", "tensorboard", "viser", "trimesh", "imageio_ffmpeg", "h5py", "onnx", "mpi4py",
                        "judo", "mujoco", "matplotlib", "ray"]  # what modules may use and a site does not need
toc_object_entries_show_parents = "hide"
autodoc_use_type_comments = False  # the package has none; looking for them takes seconds
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
c_maximum_signature_line_length = 100

breathe_projects = {"myriapod": os.environ["MYRIAPOD_DOXYGEN"]}
breathe_default_project = "myriapod"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
