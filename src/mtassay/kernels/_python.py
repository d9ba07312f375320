"""The plain-Python kernels under the names that the compiled module has."""

from mtassay.kernels.edits import cder_edits, word_edits
from mtassay.kernels.encoding import Vocabulary, codepoints, encode
from mtassay.kernels.envelopes import interval_totals, upper_envelopes
from mtassay.kernels.gtm import gtm_sizes
from mtassay.kernels.lepor import lepor_matches
from mtassay.kernels.meteor import meteor_statistics, meteor_trace
from mtassay.kernels.ngrams import ngram_matches
from mtassay.kernels.nist import nist_matches, nist_weights
from mtassay.kernels.resampling import chosen_sums, resample_counts
from mtassay.kernels.rouge import lcs_lengths, skip_bigram_matches, wlcs_sizes
from mtassay.kernels.ter import ter_edits, ter_trace
from mtassay.kernels.trueskill import trueskill_plays

__all__ = [
    "Vocabulary",
    "cder_edits",
    "chosen_sums",
    "codepoints",
    "encode",
    "gtm_sizes",
    "interval_totals",
    "lcs_lengths",
    "lepor_matches",
    "meteor_statistics",
    "meteor_trace",
    "ngram_matches",
    "nist_matches",
    "nist_weights",
    "resample_counts",
    "skip_bigram_matches",
    "ter_edits",
    "ter_trace",
    "trueskill_plays",
    "upper_envelopes",
    "wlcs_sizes",
    "word_edits",
]
