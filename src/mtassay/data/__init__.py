"""Test sets, and one reader per file format.

Names are imported on first use, so that reading line files does not import XML or JSON.

>>> from mtassay.data import TestSet
>>> TestSet([["a b", "c"]], {"sys": ["a", "c"]})
TestSet(2 segments, 1 reference, 1 system)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay import lazy_names

if TYPE_CHECKING:
    from mtassay.data.annotations import Annotations
    from mtassay.data.candidate_lists import CandidateList
    from mtassay.data.error_spans import ErrorSpan, ErrorSpans
    from mtassay.data.formats import is_test_set, system_name
    from mtassay.data.formats.brackets import read_brackets
    from mtassay.data.formats.candidate_files import read_candidates
    from mtassay.data.formats.conllu import read_conllu
    from mtassay.data.formats.evalset import read_evalset
    from mtassay.data.formats.folder import read_folder
    from mtassay.data.formats.jsonl import read_jsonl
    from mtassay.data.formats.judgements import load_judgements, write_judgements
    from mtassay.data.formats.lines import read_lines, split_columns
    from mtassay.data.formats.mert_files import read_mert_features, read_mert_scores
    from mtassay.data.formats.nbest_reading import read_nbest
    from mtassay.data.formats.score_files import ScoreFile, read_scores
    from mtassay.data.formats.sgml import read_sgml
    from mtassay.data.formats.tsv import read_tsv
    from mtassay.data.formats.weights import read_weights, update_ini
    from mtassay.data.formats.wmt_xml import read_wmt_xml
    from mtassay.data.formats.writing import write_evalset, write_jsonl
    from mtassay.data.judgements import Preferences, Rankings, Scores
    from mtassay.data.loading import load
    from mtassay.data.nbest import NBest, accumulate
    from mtassay.data.references import check_references, check_texts, default_reference_names
    from mtassay.data.separate_files import load_files
    from mtassay.data.testset import TestSet
    from mtassay.data.trees import ConstituentTree, DependencyTree
    from mtassay.io import set_limits
    from mtassay.io.atomic import atomic_folder, atomic_write

_HOME = {
    "Annotations": "mtassay.data.annotations",
    "CandidateList": "mtassay.data.candidate_lists",
    "ConstituentTree": "mtassay.data.trees",
    "DependencyTree": "mtassay.data.trees",
    "ErrorSpan": "mtassay.data.error_spans",
    "ErrorSpans": "mtassay.data.error_spans",
    "NBest": "mtassay.data.nbest",
    "Preferences": "mtassay.data.judgements",
    "Rankings": "mtassay.data.judgements",
    "ScoreFile": "mtassay.data.formats.score_files",
    "Scores": "mtassay.data.judgements",
    "TestSet": "mtassay.data.testset",
    "accumulate": "mtassay.data.nbest",
    "atomic_folder": "mtassay.io.atomic",
    "atomic_write": "mtassay.io.atomic",
    "check_references": "mtassay.data.references",
    "check_texts": "mtassay.data.references",
    "default_reference_names": "mtassay.data.references",
    "is_test_set": "mtassay.data.formats",
    "load": "mtassay.data.loading",
    "load_files": "mtassay.data.separate_files",
    "load_judgements": "mtassay.data.formats.judgements",
    "read_brackets": "mtassay.data.formats.brackets",
    "read_candidates": "mtassay.data.formats.candidate_files",
    "read_conllu": "mtassay.data.formats.conllu",
    "read_evalset": "mtassay.data.formats.evalset",
    "read_folder": "mtassay.data.formats.folder",
    "read_jsonl": "mtassay.data.formats.jsonl",
    "read_lines": "mtassay.data.formats.lines",
    "read_mert_features": "mtassay.data.formats.mert_files",
    "read_mert_scores": "mtassay.data.formats.mert_files",
    "read_nbest": "mtassay.data.formats.nbest_reading",
    "read_scores": "mtassay.data.formats.score_files",
    "read_sgml": "mtassay.data.formats.sgml",
    "read_tsv": "mtassay.data.formats.tsv",
    "read_weights": "mtassay.data.formats.weights",
    "read_wmt_xml": "mtassay.data.formats.wmt_xml",
    "set_limits": "mtassay.io",
    "split_columns": "mtassay.data.formats.lines",
    "system_name": "mtassay.data.formats",
    "update_ini": "mtassay.data.formats.weights",
    "write_evalset": "mtassay.data.formats.writing",
    "write_jsonl": "mtassay.data.formats.writing",
    "write_judgements": "mtassay.data.formats.judgements",
}

__all__ = [
    "Annotations",
    "CandidateList",
    "ConstituentTree",
    "DependencyTree",
    "ErrorSpan",
    "ErrorSpans",
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
    "load_judgements",
    "read_brackets",
    "read_candidates",
    "read_conllu",
    "read_evalset",
    "read_folder",
    "read_jsonl",
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


__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
