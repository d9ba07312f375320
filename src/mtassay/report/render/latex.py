"""LaTeX tables (booktabs) for papers; bold marks the best value. Aligned lines are verbatim, sentences are comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.document import Notes, Preformatted, Signatures, Table

if TYPE_CHECKING:
    from mtassay.report.document import Document, PlainBlock

SHOWS_CONFIGURATION = True
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "↓": r"$\downarrow$",
        "±": r"$\pm$",
        "≀": r"$\wr$",
        "ρ": r"$\rho$",
        "τ": r"$\tau$",
        "−": "--",
        "α": r"$\alpha$",
        "κ": r"$\kappa$",
        "γ": r"$\gamma$",
        "μ": r"$\mu$",
        "Δ": r"$\Delta$",
    }
)


def render(document: Document) -> str:
    """All blocks with an empty line between them."""
    legend = f"% {document.legend}" if document.legend else ""
    return "\n\n".join(filter(None, [*map(_block, document.plain_blocks), legend]))


def _block(block: PlainBlock) -> str:
    if isinstance(block, Table):
        return table_text(block)
    if isinstance(block, Preformatted):
        return f"\\begin{{verbatim}}\n{block.text}\n\\end{{verbatim}}"
    lines = block.lines if isinstance(block, Notes | Signatures) else block.text.split("\n")
    return "\n".join(f"% {line}" for line in lines)


def table_text(table: Table) -> str:
    """A tabular."""
    columns = "".join("l" if table.is_text(column) else "r" for column in range(len(table.header)))
    rows = [
        " & ".join(rf"\textbf{{{_tex(c.inline)}}}" if c.best else _tex(c.inline) for c in row) + r" \\"
        for row in table.rows
    ]
    header = " & ".join(_tex(name) for name in table.header) + r" \\"
    body = [r"\toprule", header, r"\midrule", *rows, r"\bottomrule"]
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"])


def _tex(text: str) -> str:
    r"""Escape a text for LaTeX, including < and >, which its default font encoding prints as other characters.

    >>> print(_tex("a_1 > b"))
    a\_1 \textgreater{} b
    """
    return text.translate(_ESCAPES)
