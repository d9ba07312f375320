"""Array types, named once for the whole package."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Any array.
Array = NDArray[Any]
#: Real numbers.
Floats = NDArray[np.float64]
#: Whole numbers.
Ints = NDArray[np.int64]
#: Positions in another array.
Index = NDArray[np.int64]
#: Start of each group in a flat array, and its length at the end: group i is ``offsets[i]`` to ``offsets[i + 1]``.
Offsets = NDArray[np.int64]
#: Numbers of occurrences.
Counts = NDArray[np.int64]
#: Token ids.
Ids = NDArray[np.int32]
#: Truth values.
Bools = NDArray[np.bool_]
#: Texts without objects: labels, identifiers.
Labels = NDArray[np.str_]
#: Hashes of 64 bits.
Hashes = NDArray[np.uint64]
#: Additive statistics of a metric; the last axis has its columns.
Statistics = NDArray[Any]
