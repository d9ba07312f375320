"""Settings of the documentation site. tools/build_docs.py (``make docs``) stages the pages and calls Sphinx."""

from mtassay import __version__

project = "mtassay"
author = "The mtassay developers"
project_copyright = author
release = version = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
# Anchors of headings as on GitHub, down to ####; attributes behind images choose light and dark ones.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
# Notebooks hold their outputs, and tests/docs executes them.
nb_execution_mode = "off"
# Blocks without a language are commands and what they print.
highlight_language = "none"

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
python_use_unqualified_type_names = True
# `name` in a docstring is code.
default_role = "code"

# Copied without the prompt, and without what the command prints.
copybutton_prompt_text = "$ "

html_theme = "furo"
html_title = f"mtassay {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif", "font-stack--monospace": "ui-monospace, monospace"},
}
