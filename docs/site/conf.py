"""Sphinx's configuration. docs/site/build stages the pages, sets RATTLE_VERSION and calls Sphinx with this file."""
import os

import furo

project = "rattle"
author = "the authors of librattle"
project_copyright = ""
version = release = os.environ["RATTLE_VERSION"]
extensions = ["myst_parser"]
myst_heading_anchors = 4                         # links to headings as GitHub has them
highlight_language = "none"
html_theme = "furo"
html_title = f"rattle {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = html_show_copyright = html_show_sourcelink = html_copy_source = False
html_theme_options = {"top_of_page_buttons": []} if furo.__version__ >= "2024.07" else {"top_of_page_button": None}
smartquotes = False                              # "--step" is an option, not a dash
nitpicky = True
