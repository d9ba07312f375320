"""The contents of a report and their order; renderers write them in a format.

The document of a verb's result has three parts. Its *blocks* are for readers: sentences, tables with rounded numbers,
notes, signatures. Its *records* are for programs that read tables: one flat row per result with all digits, written as
TSV and used for data frames. Its *data* are for everything else: nested values, written as JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        text: the text of the cell.
        best: whether it is marked, as the best of its column or with the meaning of `Document.mark`.
        span: low end, value and high end of an interval; pages draw it beside the text, on the scale of the column.
        segments: segments that a page shows after a click on the text, counted from 1.
        names: the names that the text lists, if it is a list; see `names_cell`.
    """

    text: str
    best: bool = False
    span: tuple[float, float, float] | None = None
    segments: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def inline(self) -> str:
        """The text for formats that show several blanks as one: commas separate names."""
        return ", ".join(self.names) or self.text


def names_cell(names: Iterable[str]) -> Cell:
    """A list of names, which may hold blanks: in a text two blanks separate them.

    >>> cell = names_cell(["online A", "online B"])
    >>> cell.text, cell.inline
    ('online A  online B', 'online A, online B')
    """
    names = tuple(names)
    return Cell("  ".join(names), names=names)


class Table(NamedTuple):
    """A header and rows; the first `n_labels` columns are names, the last `n_notes` are remarks, others are numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_labels: int = 1
    n_notes: int = 0

    def is_text(self, column: int) -> bool:
        """Whether a column is left-aligned."""
        return column < self.n_labels or column >= len(self.header) - self.n_notes


# Blocks with one field derive from these two classes: every `NamedTuple` or `dataclass` of its own slows the import.
class _Text(NamedTuple):
    text: str


class _Lines(NamedTuple):
    lines: tuple[str, ...]


class Heading(_Text):
    """A heading."""


class Sentence(_Text):
    """A paragraph: what was done, or what was found."""


class Prose(_Text):
    """Results in words, one sentence per line; the text format wraps long lines."""


class Notes(_Lines):
    """Remarks on the block above, one per line; may be empty."""


class Signatures(_Lines):
    """Signatures, which make the scores reproducible, one line per metric."""


class Preformatted(NamedTuple):
    """Lines that are already aligned, such as words under words; `markup` makes their HTML if it is not plain text."""

    text: str
    markup: Callable[[], str] | None = None


class Graphic(NamedTuple):
    """A chart, as HTML: only pages and notebooks show it, next to the table with the same numbers.

    Attributes:
        markup: makes the HTML.
        scripted: whether it needs the script of a page; notebooks leave it out then.
    """

    markup: Callable[[], str]
    scripted: bool = False


class Tab(NamedTuple):
    """Blocks for one alternative, such as one metric; a page shows one tab at a time, other formats show all."""

    title: str
    blocks: tuple[Block, ...]


class Section(NamedTuple):
    """A part of a long document, with a name for links to it."""

    name: str
    title: str
    blocks: tuple[Block, ...]


Block = Table | Heading | Sentence | Prose | Notes | Signatures | Preformatted | Graphic | Tab | Section
#: Blocks that every format shows.
PlainBlock = Table | Heading | Sentence | Prose | Notes | Signatures | Preformatted


class Records(NamedTuple):
    """Rows of one table with all digits; None is a missing value, a list or tuple a list of names or numbers."""

    header: tuple[str, ...]
    rows: Sequence[Sequence[Any]]


class Document(NamedTuple):
    """A result as blocks, records and data; the last two are computed only if a format needs them.

    Attributes:
        title: title of a page.
        blocks: for readers.
        records: for TSV and data frames.
        data: for JSON.
        mark: what marked cells mean; the mark is ``*`` in text and bold elsewhere.
        subtitle: a line under the title of a page.
    """

    title: str
    blocks: tuple[Block, ...]
    records: Callable[[], Records]
    data: Callable[[], Any]
    mark: str = "best"
    subtitle: str = ""

    def with_configuration(self, values: dict[str, Any]) -> Document:
        """The document with a first line on the defaults of a configuration file, and an entry of its data."""
        from mtassay.io.configuration import shown_values  # only if there is such a file

        taken = {key: value for key, value in values.items() if key != "file"}
        line = Sentence(f"defaults of {values['file']}: {shown_values(taken)}")

        return self._replace(blocks=(line, *self.blocks), data=lambda: {**self.data(), "configuration": values})

    @property
    def plain_blocks(self) -> tuple[PlainBlock, ...]:
        """The blocks that every format shows; those of sections and tabs one after the other."""
        return tuple(_plain(self.blocks))

    @property
    def marked(self) -> bool:
        """Whether any cell is marked."""
        tables = (block for block in self.plain_blocks if isinstance(block, Table))
        return any(cell.best for table in tables for row in table.rows for cell in row)

    @property
    def legend(self) -> str:
        """What bold means, if it is not the best value of a column."""
        return f"Bold: {self.mark}." if self.marked and self.mark != "best" else ""


def _plain(blocks: Iterable[Block]) -> Iterator[PlainBlock]:
    for block in blocks:
        if isinstance(block, Section):
            yield Heading(block.title)
        if isinstance(block, Section | Tab):
            yield from _plain(block.blocks)
        elif not isinstance(block, Graphic):
            yield block


def table(header: Iterable[str], rows: Iterable[Iterable[str | Cell]], *, n_labels: int = 1, n_notes: int = 0) -> Table:
    """A table from texts and cells.

    >>> table(["system", "BLEU"], [["a", Cell("31.4", best=True)]]).rows[0][0]
    Cell(text='a', best=False, span=None, segments=(), names=())
    """
    cells = tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
    return Table(tuple(header), cells, n_labels, n_notes)
