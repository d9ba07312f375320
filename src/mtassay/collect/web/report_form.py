"""The form of ``mtassay serve``: the metrics that it offers, and the test set sent with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from mtassay.collect.web.multipart import Part
from mtassay.data.formats import system_name
from mtassay.data.references import first_repeated
from mtassay.data.separate_files import load_files
from mtassay.errors import InputError, counted
from mtassay.io.inputs import STDIN, NamedBytes, compression_of
from mtassay.metrics.core.registry import BUILT_IN, metric_class
from mtassay.verbs.report import METRICS

if TYPE_CHECKING:
    from mtassay.data.testset import TestSet

#: Largest number of form fields that are not files.
MOST_FIELDS = 200
#: Number of outputs that can be pasted as text.
N_PASTED = 2
#: Modules of metrics that need only texts and language data: no annotations are kept on disk, and no model is loaded.
_MODULES = ("mtassay.metrics.strings.", "mtassay.metrics.meteor.")
_PAIR = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?-[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?")
_LONGEST_TITLE = 200


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a server.

    Attributes:
        size: maximum size of all files of a report, in bytes.
        files: maximum number of files of a report.
        metrics: maximum number of metrics of a report.
        jobs: maximum number of reports made at the same time.
    """

    size: int = 32 << 20
    files: int = 40
    metrics: int = 8
    jobs: int = 2


class TooMuchError(InputError):
    """More files or metrics than the server accepts."""


@dataclass(frozen=True)
class Offer:
    """A metric that can be chosen."""

    name: str
    label: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """The content of a sent form.

    Attributes:
        references: files of references.
        outputs: files of outputs.
        source: files of the source; at most one is used.
        metrics: names of the metrics.
        fields: fields with text.
    """

    references: list[NamedBytes] = field(default_factory=list)
    outputs: list[NamedBytes] = field(default_factory=list)
    source: list[NamedBytes] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str | None:
        """The title of the report, if one was given."""
        return self.fields.get("title", "").strip()[:_LONGEST_TITLE] or None

    @property
    def files(self) -> list[NamedBytes]:
        """All files and pasted texts."""
        return [*self.references, *self.outputs, *self.source]


@cache
def offered_metrics() -> tuple[Offer, ...]:
    """Metrics that need only the texts and can be tested; the default metrics of a report come first."""
    found = []
    for name, dotted in BUILT_IN.items():
        if dotted.startswith(_MODULES):
            of_name = metric_class(name)
            metric = of_name.from_options(name, {})
            if metric.higher_is_better is not None:
                found.append(Offer(name, metric.label, (of_name.__doc__ or "").partition("\n")[0]))
    return tuple(sorted(found, key=lambda offer: offer.name not in METRICS))


def read_request(parts: Sequence[Part]) -> Request:
    """Sort the parts of a form by field; pasted texts become files."""
    sent = Request()
    files = {"references": sent.references, "outputs": sent.outputs, "source": sent.source}
    for part in parts:
        if part.file_name is None:
            if part.name == "metrics":
                sent.metrics.append(part.text)
            else:
                sent.fields[part.name] = part.text
        elif part.file_name and part.name in files:  # a field without a file has an empty name
            name = "file" if part.file_name == STDIN else part.file_name
            files[part.name].append(NamedBytes(name, part.content))
    _add_pasted(sent.fields, "reference_text", "pasted reference", sent.references)
    _add_pasted(sent.fields, "source_text", "pasted source", sent.source)
    for number in range(1, N_PASTED + 1):
        name = sent.fields.get(f"output_name_{number}", "").strip() or f"pasted {number}"
        _add_pasted(sent.fields, f"output_text_{number}", name, sent.outputs)
    return sent


def _add_pasted(fields: Mapping[str, str], field_name: str, name: str, files: list[NamedBytes]) -> None:
    text = fields.get(field_name, "").rstrip("\r\n")
    if text.strip():
        files.append(NamedBytes(name, text.replace("\r\n", "\n").encode()))


def check_limits(sent: Request, limits: Limits) -> None:
    """Raise `TooMuchError` if there are more files or metrics than the server accepts."""
    if len(sent.files) > limits.files:
        raise TooMuchError(f"{counted(len(sent.files), 'file')}: this server accepts {limits.files} at a time")
    if len(sent.metrics) > limits.metrics:
        raise TooMuchError(f"{counted(len(sent.metrics), 'metric')}: this server accepts {limits.metrics} at a time")


def read_test_set(sent: Request) -> TestSet:
    """The test set; an error names the file and the line."""
    known = {offer.name for offer in offered_metrics()}
    if not sent.references:
        raise InputError("no reference: choose a file, or paste text")
    if not sent.outputs:
        raise InputError("no output: choose one file for each system, or paste text")
    if len(sent.source) > 1:
        raise InputError("there can be one source, either a file or pasted text")
    if not sent.metrics:
        raise InputError("no metric: choose at least one")
    if unknown := [name for name in sent.metrics if name not in known]:
        raise InputError(f"{unknown[0]!r} is not among the metrics of this page")
    for file in sent.files:
        if kind := compression_of(file.content):
            raise InputError(f"{file.name} is compressed ({kind}): decompress it first")
    if repeated := first_repeated(system_name(file) for file in sent.outputs):
        raise InputError(f"two outputs are named {repeated!r}: rename one of them")
    pair = sent.fields.get("pair", "").strip()
    if pair and not _PAIR.fullmatch(pair):
        raise InputError(f"{pair!r} is not a language pair: write two codes, such as de-en")
    try:
        return load_files(
            sent.references, sent.outputs, source=sent.source[0] if sent.source else None, lp=pair or None
        )
    except InputError as error:
        # Leave out the end of the message, which is about options of the command.
        raise InputError(str(error).removesuffix(" or name its encoding (-e, encoding=)")) from None


def command_of(sent: Request) -> str:
    """The command that makes the same report from the files; empty if texts were pasted."""
    if any(value.strip() for name, value in sent.fields.items() if "_text" in name):
        return ""
    words = ["mtassay", "report", *(file.name for file in sent.references), "-i", *(file.name for file in sent.outputs)]
    words += ["--source", sent.source[0].name] if sent.source else []
    pair = sent.fields.get("pair", "").strip()
    words += ["-l", pair] if pair else []
    words += ["-m", *sent.metrics]
    words += ["--title", sent.title] if sent.title else []
    return shlex.join([*words, "-o", "report.html"])
