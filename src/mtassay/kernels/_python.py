"""The plain-Python kernels under the names that the compiled module has."""

from mtassay.kernels.encoding import Vocabulary, codepoints, encode
from mtassay.kernels.lepor import lepor_matches
from mtassay.kernels.ngrams import ngram_matches
from mtassay.kernels.nist import nist_matches, nist_weights
from mtassay.kernels.ter import ter_edits, ter_trace

__all__ = [
    "Vocabulary",
    "codepoints",
    "encode",
    "lepor_matches",
    "ngram_matches",
    "nist_matches",
    "nist_weights",
    "ter_edits",
    "ter_trace",
]
