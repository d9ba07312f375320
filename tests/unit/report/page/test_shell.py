"""The frame of a page."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from mtassay.report.page.shell import page
from mtassay.report.page.texts import isolated, json_script


def test_the_policy_allows_this_style_and_this_script_only() -> None:
    html = page("<p>contents</p>", title="A & B", sections=[("one", "Part <1>")])
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    for element, directive in (("style", "style-src"), ("script", "script-src")):
        [text] = re.findall(rf"<{element}>(.*?)</{element}>", html, re.DOTALL)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert " style=" not in html


def test_titles_are_texts() -> None:
    html = page("", title="A <b> & B", subtitle="x < y", sections=[("one", "Part <1>")])
    assert "<title>A &lt;b&gt; &amp; B</title>" in html
    assert '<a href="#one">Part &lt;1&gt;</a>' in html
    assert "x &lt; y" in html


def test_nothing_leaves_the_page() -> None:
    html = page("", title="t")
    assert not re.findall(r'(?:src|href)="(?!#)', html)
    assert "@import" not in html
    assert "url(" not in html


def test_data_cannot_end_their_element() -> None:
    assert "<" not in json_script({"<!--": "</script><script>"}, name="x")[len('<script type="application/json"') : -9]


def test_texts_are_isolated() -> None:
    assert isolated("x", "ar") == '<bdi dir="auto" lang="ar">x</bdi>'
    assert isolated("x") == '<bdi dir="auto">x</bdi>'
