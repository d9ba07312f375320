"""Metrics learned from human judgements: features, models, and studies of what is gained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay import lazy_names

if TYPE_CHECKING:
    from mtassay.judging.learning_targets import human_scores
    from mtassay.learn.corpus_index import CorpusIndex, build_index
    from mtassay.learn.features import FEATURE_SETS, FEATURES, Feature
    from mtassay.learn.matrix import Resources, feature_matrix, feature_values, likeness_matrices
    from mtassay.learn.model_file import LearnedModel, load_model
    from mtassay.learn.role_weights import tune_role_weights
    from mtassay.learn.training import TrainResult, train

_HOME = {
    "CorpusIndex": "mtassay.learn.corpus_index",
    "FEATURES": "mtassay.learn.features",
    "FEATURE_SETS": "mtassay.learn.features",
    "Feature": "mtassay.learn.features",
    "LearnedModel": "mtassay.learn.model_file",
    "Resources": "mtassay.learn.matrix",
    "TrainResult": "mtassay.learn.training",
    "build_index": "mtassay.learn.corpus_index",
    "feature_matrix": "mtassay.learn.matrix",
    "feature_values": "mtassay.learn.matrix",
    "human_scores": "mtassay.judging.learning_targets",
    "likeness_matrices": "mtassay.learn.matrix",
    "load_model": "mtassay.learn.model_file",
    "train": "mtassay.learn.training",
    "tune_role_weights": "mtassay.learn.role_weights",
}

__all__ = [
    "FEATURES",
    "FEATURE_SETS",
    "CorpusIndex",
    "Feature",
    "LearnedModel",
    "Resources",
    "TrainResult",
    "build_index",
    "feature_matrix",
    "feature_values",
    "human_scores",
    "likeness_matrices",
    "load_model",
    "train",
    "tune_role_weights",
]


__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
