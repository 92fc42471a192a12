"""Sphinx settings for the course's site. `make site` uses them; see tools/make_site.py.

Nothing is executed, and no page makes a request to another host: MathJax is stored with the pages.
"""

project = "azlearn"
author = "the azlearn authors"
copyright = "the azlearn authors, MIT license"
html_title = "azlearn"

extensions = ["myst_nb", "sphinx.ext.mathjax", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
extensions += ["tools.site_reference"]
exclude_patterns = ["_static"]
nb_execution_mode = "off"
nb_merge_streams = True
nb_number_source_lines = False
nb_ipywidgets_js = {}  # widgets are drawn by _static/azlearn.js
nb_mime_priority_overrides = [("html", "text/html", 0)]
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 3
myst_heading_slug_func = "make_site.jupyter_anchor"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

# The reference; see tools/site_reference.py.
add_module_names = False
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["azlearn.css", "site.css"]
html_js_files = [("site.js", {"defer": "defer"}), ("azlearn.js", {"defer": "defer"})]
html_copy_source = False
html_show_search_summary = False  # pages opened from a folder may not fetch them
html_show_sphinx = False
html_domain_indices = False
html_use_index = False
html_theme_options = {"top_of_page_buttons": []}
mathjax_path = "tex-svg-full.js"
mathjax3_config = {"options": {"enableMenu": False}, "svg": {"fontCache": "local"}}


def setup(app):
    """The first page has no code cells: it does without their style sheets, and is there sooner."""

    def without_code(app, page, template, context, doctree):
        if page == "index":
            sheets, unused = context["css_files"], ("mystnb", "pygments")
            context["css_files"] = [x for x in sheets if not any(n in str(x) for n in unused)]

    app.connect("html-page-context", without_code, priority=900)
