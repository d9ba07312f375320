"""Style of all plots: sizes, fonts, shades that differ in grey, and rendering to files.

Figures are drawn without pyplot: no window opens, and the user's matplotlib settings are neither used nor changed.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from mtassay.errors import InputError, counted
from mtassay.report.wording import INTERVAL_NAMES, UNIT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from mtassay.verbs.compare import CompareResult

#: Widths in inches of a column and of a page in the usual two-column paper.
COLUMN, PAGE = 3.3, 6.9
#: Height in inches of a page without the caption.
PAGE_HEIGHT = 9.0
#: Font sizes in points.
TITLE, LABEL, SMALL, TINY = 8.0, 7.0, 6.5, 5.0
#: Inches from one system to the next.
ROW = 0.145

INK, RULE, PALE = "#000000", "#8c8c8c", "#e4e4e4"
#: From the smallest p-values to the largest; each is lighter than the one before by 15 or more of CIELAB's 100 steps.
SHADES = ("#08264f", "#1f5f9e", "#6aa5d2", "#b9d7ec")
#: Lines differ in markers and dashes; colours only help.
LINES = (
    ("#000000", "o", "-"),
    ("#0072b2", "s", "--"),
    ("#b34a00", "^", "-."),
    ("#007a5a", "D", ":"),
    ("#8a4f7d", "v", "-"),
    ("#56606b", "P", "--"),
    ("#7a5c00", "X", "-."),
    ("#3b3b98", "*", ":"),
)

_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": LABEL,
    # System names such as a_b$c$ are not formulas.
    "text.parse_math": False,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.labelsize": LABEL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "lines.linewidth": 0.9,
    "lines.markersize": 3.5,
    "hatch.linewidth": 0.5,
    "figure.dpi": 300.0,
    "savefig.dpi": "figure",
    "svg.fonttype": "none",
    "svg.hashsalt": "mtassay",
    "pdf.fonttype": 42,
}
#: An equals sign between spaces at which no line ends.
_UNBROKEN_EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
#: Leave out the time of writing, so that the same plot gives the same file.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "mtassay"},
    "pdf": {"CreationDate": None, "Creator": "mtassay", "Producer": None},
    "png": {"Software": "mtassay"},
}


@contextmanager
def applied() -> Iterator[None]:
    """Draw with these settings inside the block, independent of the user's."""
    with mpl.rc_context(), warnings.catch_warnings():
        # ``rendered`` raises an error for missing glyphs in formats that need them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def rendered(figure: Figure, ending: str) -> bytes:
    """The bytes of an SVG, PDF or PNG file."""
    for text in figure.findobj(Text):
        if not text.get_text().isascii():
            text.set_text(escaped(text.get_text()))
    if ending != "svg":
        _check_characters(figure)
    file = BytesIO()
    figure.savefig(file, format=ending, metadata=_METADATA[ending])
    return file.getvalue()


def _check_characters(figure: Figure) -> None:
    """Reject texts that would be drawn as empty boxes. SVG files keep text as text, so this is not needed there."""
    font = get_font(findfont(FontProperties()))
    used = {char for text in figure.findobj(Text) for char in text.get_text()}
    missing = sorted(char for char in used if char.isprintable() and font.get_char_index(ord(char)) == 0)
    if missing:
        raise InputError(f"the font of plots has no {' '.join(missing[:5])}; write an .svg file, which needs no font")


def escaped(text: str) -> str:
    r"""The text with lone surrogates escaped: no font has them, and file names that are not UTF-8 contain them.

    ``rendered`` escapes all texts except tick labels, which matplotlib keeps elsewhere.

    >>> print(escaped("é\udcff"))
    é\udcff
    """
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Width of a line of text in inches."""
    font = FontProperties(family="sans-serif", size=size, weight="bold" if bold else "normal")
    points, _, _ = text_to_path.get_text_width_height_descent(escaped(text), font, ismath=False)
    # Bitmaps align letters to whole pixels.
    return float(points) / 72 * 1.02


def widest(texts: Iterator[str] | list[str] | tuple[str, ...], size: float) -> float:
    """Width of the longest line in inches."""
    return max((width_of(text, size) for text in texts), default=0.0)


def whole_numbers(most: int) -> MaxNLocator:
    """Ticks for counts: whole numbers, even if only one is visible."""
    return MaxNLocator(most, integer=True, min_n_ticks=1)


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Break a text into lines of whole words, no wider than `width` inches if words allow it.

    A letter and its value, as in "α = .05", stay on one line.
    """
    lines = [""]
    for word in text.replace(" = ", _UNBROKEN_EQUALS).split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def procedure_in_words(result: CompareResult) -> str:
    """A description of the test behind a plot."""
    return f"{capital(result.procedure.title)}, {resamples_in_words(result)}"


def resamples_in_words(result: CompareResult, *, adjusted: bool = True, alpha: bool = True) -> str:
    """A description of the resamples and, if relevant, of the correction and significance level."""
    # If scores are missing, each pair has its own segments.
    of_pairs = [int(comparison.n_units[x, y]) for comparison in result.comparisons for x, y in result.pairs]
    least, n_units = min(of_pairs), max(of_pairs)
    if result.procedure.exact(n_units):
        parts = [f"all {result.procedure.n_resamples(n_units):,} ways of swapping {counted(n_units, unit(result))}"]
    else:
        span = f"{n_units:,}" if least == n_units else f"{least:,} to {n_units:,}"
        parts = [f"{counted(result.procedure.resamples, 'resample')} of {span} {unit(result)}s"]
    if adjusted and result.adjust != "none":
        names = {"holm": "Holm", "bh": "Benjamini–Hochberg"}
        parts.append(f"p adjusted by {names[result.adjust]}")
    if alpha:
        parts.append(f"α = {result.alpha:g}")
    return ", ".join(parts)


def intervals_in_words(result: CompareResult) -> str:
    """A description of the confidence intervals."""
    kind = INTERVAL_NAMES[result.interval]
    n_units = int(result.comparisons[0].n_units[0, 0])
    resamples = f"{counted(result.procedure.resamples, 'resample')} of {n_units:,} {unit(result)}s"
    return f"{100 * (1 - result.alpha):g} % {kind} bootstrap intervals, {resamples}"


def capital(text: str) -> str:
    """Capitalise the first letter; sacreBLEU stays as it is.

    >>> capital("bootstrap"), capital("sacreBLEU's bootstrap")
    ('Bootstrap', "sacreBLEU's bootstrap")
    """
    first = text.split(" ")[0]
    return text if first != first.lower() else text[0].upper() + text[1:]


def unit(result: CompareResult) -> str:
    """The unit of resampling, in the singular."""
    return UNIT_NAMES[result.unit]
