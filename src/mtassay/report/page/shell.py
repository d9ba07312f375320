"""The frame of every page: policy, style, script, head and navigation, all in one file that needs no network."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from mtassay import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The beginning of the element with the data of the explorer.
DATA = '<script type="application/json" id="data">'
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
#: Scripts of all pages, and of pages with data, in this order.
_ALL, _EXPLORER = ("page.js",), ("data.js", "buckets.js", "segments.js", "explorer.js")
_INDENT_OR_COMMENT = re.compile(r"^\s*//.*\n|^\s+", re.MULTILINE)


def page(body: str, *, title: str, subtitle: str = "", sections: Sequence[tuple[str, str]] = ()) -> str:
    """A whole HTML file.

    Args:
        body: the contents.
        title: title of the page.
        subtitle: a line below the title.
        sections: names and titles of the parts, for the navigation.
    """
    style, script = _asset("style.css"), _script(explorer=DATA in body)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    links = "".join(f'<li><a href="#{escape(name)}">{escape(shown)}</a></li>' for name, shown in sections)
    navigation = f'<nav aria-label="Sections"><ol>{links}</ol></nav>\n' if sections else ""
    about = f"<p>{escape(subtitle)}</p>" if subtitle else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="mtassay {__version__}">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#contents">Skip to the contents</a>\n'
        f'<header><div><h1>{escape(title)}</h1>{about}</div><div class="tools" id="tools"></div></header>\n'
        f'<div class="columns">\n{navigation}<main id="contents">\n{body}\n</main>\n</div>\n'
        f"<footer><p>Made by mtassay {__version__}</p></footer>\n<script>{script}</script>\n</body>\n</html>"
    )


def policy_of(page: str) -> str:
    """The Content-Security-Policy of a page, for the headers of a server."""
    found = _POLICY.search(page)
    if found is None:
        raise ValueError("not a page of this module")
    return found[1]


@cache
def _script(*, explorer: bool) -> str:
    """The script, without indentation and comments."""
    parts = [_asset(name) for name in (*_ALL, *(_EXPLORER if explorer else ()))]
    return f'(() => {{\n"use strict";\n{_INDENT_OR_COMMENT.sub("", "".join(parts))}}})();'


@cache
def _asset(name: str) -> str:
    return (files("mtassay.report.page") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
