"""Test sets of sacreBLEU on the command line: ``-t SET -l PAIR``, and options that print something about them."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from mtassay.cli.arguments import first_given, tell_of_terminal
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

    from mtassay.data import TestSet


def answer(args: argparse.Namespace) -> None:
    """Carry out --list, --cite, --download or --echo."""
    from mtassay.data.sacrebleu_sets import download, find_set, split_names

    _show_downloads()
    if args.download:
        download(args.download, args.language_pair)
        return
    names = split_names(args.test_set or [])
    if args.list and not names:
        _list(args.language_pair)
        return
    if not names:
        raise MtassayError(f"{'--cite' if args.cite else '--echo'} needs a test set: -t SET (--list shows them)")
    for name in names:
        found = find_set(name, args.language_pair)
        if args.list:
            print(f"{name}: {' '.join(found.langpairs)}")
        elif args.cite:
            if found.citation is None:
                raise MtassayError(f"sacreBLEU has no citation of {name}")
            print(found.citation)
        else:
            _echo(name, args)


def _list(pair: str | None) -> None:
    from mtassay.data.sacrebleu_sets import package

    sets = package("dataset").DATASETS
    wanted = {pair, "-".join(reversed((pair or "").split("-")))}
    for name in sorted(sets):
        if pair is None or wanted & set(sets[name].langpairs):
            print(f"{name:<30} {sets[name].description.strip()}")


def _echo(name: str, args: argparse.Namespace) -> None:
    """Print fields of a test set, with tabs between them."""
    from mtassay.data.sacrebleu_sets import find_set, read_fields

    if args.language_pair is None:
        raise MtassayError(f"--echo needs a language pair: -l {' '.join(find_set(name).langpairs)}")
    fields, standard = read_fields(name, args.language_pair, origlang=args.origlang, subset=args.subset)
    # Parity: sacreBLEU, "ref" is the standard reference even where each reference has a name of its own.
    known = {"ref": fields[standard[0]], **fields} if standard else fields
    if "all" in args.echo and len(args.echo) > 1:
        raise MtassayError("--echo all prints every field: leave out the others")
    wanted = list(fields) if args.echo == ["all"] else args.echo
    for field in wanted:
        if field not in known:
            raise MtassayError(f"{name} {args.language_pair} has no field '{field}' (known: {', '.join(fields)}, all)")
    for texts in zip(*(known[field] for field in wanted), strict=True):
        print("\t".join(text.rstrip() for text in texts))


def read(args: argparse.Namespace, *, whole: bool) -> TestSet:
    """Read the test set of ``-t``, with systems from files, standard input or the release."""
    from mtassay.data.sacrebleu_sets import keep_segments, load_set, split_names
    from mtassay.data.separate_files import with_outputs

    flag = first_given({"REF": [*args.refs, *args.more_refs]}, args)
    if flag is not None:
        raise MtassayError(f"-t names a whole test set: leave out {flag}")
    _show_downloads()
    names = split_names(args.test_set)
    testset = load_set(names, args.language_pair, whole=args.references is not None)
    if args.references and args.references != ["all"]:
        testset = testset.select(references=args.references)
    released = [] if args.systems is None else list(testset.systems) if args.systems == ["all"] else args.systems
    if not (whole and args.input is None and args.systems is None):
        testset = testset.select(systems=released)
    if args.input == []:
        raise MtassayError("-i needs at least one file; without -i hypotheses come from standard input")
    if args.input is not None or not (released or whole):
        if args.input is None:
            tell_of_terminal("to score files, give them with -i; the outputs of the release are --systems all")
        testset = with_outputs(testset, args.input or ["-"], names=args.names, encoding=args.encoding)
    return keep_segments(testset, names, origlang=args.origlang, subset=args.subset)


def _show_downloads() -> None:
    """Show on a terminal what the package sacrebleu downloads."""
    logger = logging.getLogger("sacrebleu")
    if sys.stderr.isatty() and not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("mtassay: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
