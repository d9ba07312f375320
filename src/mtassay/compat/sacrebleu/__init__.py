"""SacreBLEU's public interface, computed by mtassay: ``import mtassay.compat.sacrebleu as sacrebleu``.

Names, arguments, results and rounding are those of the sacreBLEU version in ``__version__``, even where mtassay's own
functions are stricter: flat lists of references and lists of different lengths are scored as in sacreBLEU. The only
difference is that signatures end in ``|backend:mtassay``. Test sets come from the package sacrebleu, which is imported
on first use (extra ``testsets``).

>>> from mtassay.compat import sacrebleu
>>> print(sacrebleu.corpus_bleu(["the cat sat on a mat"], [["the cat sat on the mat"]]))
BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.compat.sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from mtassay.compat.sacrebleu.metrics import BLEU, CHRF, TER
from mtassay.compat.sacrebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from mtassay.compat.sacrebleu.utils import (
    SACREBLEU_DIR,
    download_test_set,
    get_available_testsets,
    get_langpairs_for_testset,
    get_reference_files,
    get_source_file,
    smart_open,
)
from mtassay.compat.sacrebleu.version import __version__

if TYPE_CHECKING:
    DATASETS: dict[str, Any]

__all__ = [
    "BLEU",
    "CHRF",
    "DATASETS",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "download_test_set",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]


def __getattr__(name: str) -> Any:
    if name == "DATASETS":
        from mtassay.compat.sacrebleu.dataset import DATASETS

        return DATASETS
    if name in {"dataset", "significance"}:
        # sacreBLEU imports ``dataset`` with the package. ``significance`` needs NumPy, and is imported on first use.
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
