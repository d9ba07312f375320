"""Stepwise selection of features for logistic regression on preferences, by likelihood-ratio tests.

Hosmer & Lemeshow 2000, "Applied logistic regression": in each step, the feature with the smallest p-value is added if
that is below .2; then the features with the largest p-values are removed while these are above .3.
"""

from __future__ import annotations

from importlib import import_module
from math import log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.types import Floats

_ENTER, _REMOVE = 0.2, 0.3
#: A penalty so weak that its only effect is to keep weights finite if features separate the examples.
_NO_PENALTY = 1e6


def selected(differences: Floats) -> list[int]:
    """Numbers of the features that are kept, ascending.

    Args:
        differences: standardised features of the better output minus those of the worse one, shape (n, features).
    """
    n_features = differences.shape[1]
    used: list[int] = []
    likelihood = _log_likelihood(differences[:, used])
    # Each step leads to a new set of features, unless the tests of adding and of removing contradict each other.
    seen: set[frozenset[int]] = set()
    while len(used) < n_features and frozenset(used) not in seen:
        seen.add(frozenset(used))
        others = [feature for feature in range(n_features) if feature not in used]
        gains = [_log_likelihood(differences[:, [*used, feature]]) - likelihood for feature in others]
        if _p(max(gains)) >= _ENTER:
            break
        used.append(others[int(np.argmax(gains))])
        likelihood += max(gains)
        while len(used) > 1:
            without = [_log_likelihood(differences[:, [one for one in used if one != feature]]) for feature in used]
            if _p(likelihood - max(without)) <= _REMOVE:
                break
            del used[int(np.argmax(without))]
            likelihood = max(without)
    return sorted(used)


def _log_likelihood(differences: Floats) -> float:
    """Log-likelihood of all preferences under the weights that maximise it."""
    n, width = differences.shape
    if width == 0:
        return -log(2) * float(n)
    logistic = import_module("sklearn.linear_model").LogisticRegression
    rows = np.concatenate([differences, -differences])
    fitted = logistic(C=_NO_PENALTY, fit_intercept=False, max_iter=1000).fit(rows, np.repeat([1, 0], n))
    return float(-np.logaddexp(0.0, -(differences @ fitted.coef_[0])).sum())


def _p(gain: float) -> float:
    """P-value of the likelihood-ratio test for one more weight; `gain` is the gain in log-likelihood."""
    from scipy.stats import chi2

    return float(chi2.sf(2 * gain, df=1))
