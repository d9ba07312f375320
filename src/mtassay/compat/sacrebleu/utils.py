"""Files, sums and printing; functions for test sets call the package sacrebleu (extra ``testsets``)."""

from __future__ import annotations

import gzip
import json
import logging
import math
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

sacrelogger = logging.getLogger("sacrebleu")

USERHOME = str(Path("~").expanduser())
#: Where the package sacrebleu keeps test sets.
SACREBLEU_DIR = os.environ.get("SACREBLEU", str(Path(USERHOME) / ".sacrebleu"))


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> Any:
    """Open a text file, compressed if its name ends in .gz; only a line feed ends a line."""
    if file.endswith(".gz"):
        return gzip.open(file, mode, encoding=encoding, newline="\n")
    return open(file, mode, encoding=encoding, newline="\n")  # noqa: PTH123  the caller closes it


def my_log(num: float) -> float:
    """The logarithm; for 0, a number so small that its exponential is 0."""
    return -9999999999 if num == 0.0 else math.log(num)


def sum_of_lists(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Add lists of numbers, element by element.

    >>> sum_of_lists([[1, 2], [3, 4]])
    [4, 6]
    """
    return [sum(values[1:], values[0]) for values in zip(*lists, strict=True)]


def args_to_dict(args: Namespace, prefix: str, strip_prefix: bool = False) -> dict[str, Any]:
    """The arguments whose names begin with a prefix and an underscore."""
    start = f"{prefix}_"
    found = {name: value for name, value in vars(args).items() if name.startswith(start)}
    return {name.removeprefix(start): value for name, value in found.items()} if strip_prefix else found


def sanity_check_lengths(system: Sequence[str], refs: Sequence[Sequence[str]], test_set: str | None = None) -> None:
    """Exit unless system and references have the same number of lines."""
    if all(len(stream) == len(system) for stream in refs):
        return
    lengths = ", ".join(str(len(stream)) for stream in refs)
    sacrelogger.error("System and references have different numbers of lines: %d and %s.", len(system), lengths)
    if test_set:
        sacrelogger.error("If the test set is at fault, remove %s/%s to get it again.", SACREBLEU_DIR, test_set)
    sys.exit(1)


# Test sets


def _of_package(name: str) -> Callable[..., Any]:
    """A function of ``sacrebleu.utils``, imported when it is called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        from mtassay.data.sacrebleu_sets import package

        return getattr(package("utils"), name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The function ``sacrebleu.utils.{name}``."
    return call


download_file = _of_package("download_file")
download_test_set = _of_package("download_test_set")
filter_subset = _of_package("filter_subset")
get_available_origlangs = _of_package("get_available_origlangs")
get_available_subsets = _of_package("get_available_subsets")
get_available_testsets = _of_package("get_available_testsets")
get_available_testsets_for_langpair = _of_package("get_available_testsets_for_langpair")
get_files = _of_package("get_files")
get_langpairs_for_testset = _of_package("get_langpairs_for_testset")
get_reference_files = _of_package("get_reference_files")
get_source_file = _of_package("get_source_file")
print_subset_results = _of_package("print_subset_results")
print_test_set = _of_package("print_test_set")


# Printing


class Color:
    """Colours on a terminal."""

    ENABLE_COLORS = True
    _CODES: ClassVar[dict[str, int]] = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}

    @staticmethod
    def format(msg: str, color: str) -> str:
        """The message in a colour, if the output is a terminal and colours are enabled."""
        if not Color.ENABLE_COLORS or not sys.stdout.isatty():
            return msg
        return f"\033[{Color._CODES[color]}m{msg}\033[0m"


def print_single_results(results: list[str], args: Namespace) -> None:
    """Print the scores of one system, each by one metric."""
    if args.format == "json":
        print(results[0] if len(results) == 1 else "[\n" + ",\n".join(results) + "\n]")
        return
    if "μ" in results[0]:
        interval = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")
        results = [interval.sub(lambda found: Color.format(found[0], "cyan"), line) for line in results]
    if len(results) == 1:
        print(results[0])
        return
    # Parity: sacreBLEU, bare numbers come first, and lines are paired with the places of equals signs in order.
    places = [line.index("=") - 1 for line in results if "=" in line]
    for line in results:
        if "=" not in line:
            print(line)
    for place, line in zip(places, results, strict=False):
        print(f"{line[:place]:>{max(places)}}{line[place:]}")


def print_results_table(results: dict[str, list[Any]], signatures: dict[str, str], args: Namespace) -> None:
    """Print the scores of several systems, with tests if there were any."""
    if args.format == "json":
        print(json.dumps(_entries(results), indent=4))
        return
    from tabulate import tabulate

    style = {"text": "fancy_grid", "latex": "latex_booktabs"}[args.format]
    columns = _cells(results, args.width, p_break="\n" if style == "fancy_grid" else " ")
    baseline = next((cells[0] for cells in columns.values() if cells[0].startswith("Baseline:")), "")
    if baseline:
        for cells in columns.values():
            cells[0] = Color.format(cells[0], "yellow")
    table = tabulate(
        {Color.format(name, "cyan"): cells for name, cells in columns.items()},
        headers="keys",
        tablefmt=style,
        colalign=("right",),
        stralign="center",
        numalign="center",
        floatfmt=f".{args.width}f",
    )
    print(table, end="\n\n")
    if args.paired_bs or args.paired_ar:
        _print_test(baseline, args)
    print("-----------------\nMetric signatures\n-----------------")
    for name, signature in signatures.items():
        print(f" - {name:<10} {signature}")


def _entries(results: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """An object per system, for JSON."""
    names = [name for name in results if name != "System"]
    return [
        {"system": system}
        | {name: value if isinstance(value := results[name][s], str) else vars(value) for name in names}
        for s, system in enumerate(results["System"])
    ]


def _cells(results: dict[str, list[Any]], width: int, *, p_break: str) -> dict[str, list[str]]:
    """The cells of the table by column."""

    def cell(result: Any) -> str:
        if isinstance(result, str):
            return result
        text = f"{result.score:.{width}f}"
        if result.mean is not None:
            text += f" ({result.mean:.{width}f} ± {result.ci:.{width}f})"
        if result.p_value is not None:
            p = f"(p = {result.p_value:.4f})"
            text += p_break + (Color.format(p, "red") if result.p_value > 0.05 else f"{p}*")
        return text

    has_mean = any(getattr(result, "mean", None) is not None for column in results.values() for result in column)
    title = " (μ ± 95% CI)" if has_mean else ""
    return {
        name if name == "System" else name + title: [cell(result) for result in column]
        for name, column in results.items()
    }


def _print_test(baseline: str, args: Namespace) -> None:
    """Print a description of the test, and how to read its p-values."""
    test, of = (
        ("bootstrap resampling", "resampling trials") if args.paired_bs else ("approximate randomization", "trials")
    )
    heading = f"Paired {test} test with {args.paired_bs_n if args.paired_bs else args.paired_ar_n} {of}"
    given = (
        "Actual system score / bootstrap estimated true mean / 95% CI are"
        if args.paired_bs
        else "Actual system score is"
    )
    line = Color.format("baseline", "yellow")
    null = Color.format("Null hypothesis", "green")
    # Parity: sacreBLEU, the words of its output.
    print(
        f"{'-' * len(heading)}\n{heading}\n{'-' * len(heading)}\n"
        f" - Each system is pairwise compared to {Color.format(baseline, 'yellow')}.\n"
        f"   {given} provided for each metric.\n\n"
        f" - {null}: the system and the {line} translations are essentially\n"
        f"   generated by the same underlying process. For a given system and the {line},\n"
        "   the p-value is roughly the probability of the absolute score difference (delta)\n"
        f"   or higher occurring due to chance, under the assumption that the {null.lower()} is correct.\n\n"
        f" - Assuming a significance threshold of 0.05, the {null.lower()} can be rejected\n"
        '   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed\n'
        f'   to chance, hence the system is significantly "different" than the {line}.\n'
        f"   Otherwise, the p-values are {Color.format('highlighted in red', 'red')}.\n\n"
        f' - NOTE: Significance does not tell whether a system is "better" than the {line} but rather\n'
        '   emphasizes the "difference" of the systems in terms of the replicability of the delta.\n'
    )
