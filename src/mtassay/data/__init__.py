"""Test sets, and one reader per file format.

Names are loaded on first use, so that reading line files never pays for XML or JSON.

>>> from mtassay.data import TestSet
>>> TestSet([["a b", "c"]], {"sys": ["a", "c"]})
TestSet(2 segments, 1 reference, 1 system)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mtassay.data.atomic import atomic_folder, atomic_write
    from mtassay.data.evalset import read_evalset
    from mtassay.data.folder import read_folder
    from mtassay.data.jsonl import read_jsonl
    from mtassay.data.judgement_files import read_judgements, write_judgements
    from mtassay.data.judgements import Preferences, Rankings, Scores
    from mtassay.data.limits import set_limits
    from mtassay.data.lines import read_lines, split_columns
    from mtassay.data.loading import is_test_set, load, load_files
    from mtassay.data.mert_files import read_mert_features, read_mert_scores
    from mtassay.data.names import system_name
    from mtassay.data.nbest import NBest, accumulate
    from mtassay.data.nbest_reader import read_nbest
    from mtassay.data.references import check_references, check_texts, default_reference_names
    from mtassay.data.scores import ScoreFile, read_scores
    from mtassay.data.sgml import read_sgml
    from mtassay.data.testset import TestSet
    from mtassay.data.trees import ConstituentTree, DependencyTree, read_brackets, read_conllu
    from mtassay.data.tsv import read_tsv
    from mtassay.data.weights import read_weights, update_ini
    from mtassay.data.wmt_xml import read_wmt_xml
    from mtassay.data.write import write_evalset, write_jsonl

_HOME = {
    "ConstituentTree": "trees",
    "DependencyTree": "trees",
    "NBest": "nbest",
    "Preferences": "judgements",
    "Rankings": "judgements",
    "ScoreFile": "scores",
    "Scores": "judgements",
    "TestSet": "testset",
    "accumulate": "nbest",
    "atomic_folder": "atomic",
    "atomic_write": "atomic",
    "check_references": "references",
    "check_texts": "references",
    "default_reference_names": "references",
    "is_test_set": "loading",
    "load": "loading",
    "load_files": "loading",
    "read_brackets": "trees",
    "read_conllu": "trees",
    "read_evalset": "evalset",
    "read_folder": "folder",
    "read_jsonl": "jsonl",
    "read_judgements": "judgement_files",
    "read_lines": "lines",
    "read_mert_features": "mert_files",
    "read_mert_scores": "mert_files",
    "read_nbest": "nbest_reader",
    "read_scores": "scores",
    "read_sgml": "sgml",
    "read_tsv": "tsv",
    "read_weights": "weights",
    "read_wmt_xml": "wmt_xml",
    "set_limits": "limits",
    "split_columns": "lines",
    "system_name": "names",
    "update_ini": "weights",
    "write_evalset": "write",
    "write_jsonl": "write",
    "write_judgements": "judgement_files",
}

__all__ = [
    "ConstituentTree",
    "DependencyTree",
    "NBest",
    "Preferences",
    "Rankings",
    "ScoreFile",
    "Scores",
    "TestSet",
    "accumulate",
    "atomic_folder",
    "atomic_write",
    "check_references",
    "check_texts",
    "default_reference_names",
    "is_test_set",
    "load",
    "load_files",
    "read_brackets",
    "read_conllu",
    "read_evalset",
    "read_folder",
    "read_jsonl",
    "read_judgements",
    "read_lines",
    "read_mert_features",
    "read_mert_scores",
    "read_nbest",
    "read_scores",
    "read_sgml",
    "read_tsv",
    "read_weights",
    "read_wmt_xml",
    "set_limits",
    "split_columns",
    "system_name",
    "update_ini",
    "write_evalset",
    "write_jsonl",
    "write_judgements",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
