"""Pieces of a SentencePiece model: sacreBLEU's tokenizers for spBLEU, and models of your own (``spm:MODEL``).

Goyal et al. 2022, "The FLORES-101 evaluation benchmark", whose spBLEU is BLEU over such pieces. The models of FLORES
and spBLEU-1K are in sacreBLEU's cache, the folder ``models`` in ``$SACREBLEU``; a missing model is downloaded by the
package sacrebleu.
"""

from __future__ import annotations

import hashlib
import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from mtassay.data.sacrebleu_sets import package
from mtassay.errors import InputError, MissingExtraError

#: File of each model in the cache, and the tokenizer's name in signatures.
MODELS = {
    "spm": ("sacrebleu_tokenizer_spm.model", "flores101"),
    "flores101": ("sacrebleu_tokenizer_spm.model", "flores101"),
    "flores200": ("flores200sacrebleuspm", "flores200"),
    "spBLEU-1K": ("spbleu-1k_tokenizer_spm.model", "spBLEU-1K"),
}
_OWN = "spm:"


class SentencePieceTokenizer:
    """Splits a line into the pieces of a model (extra ``spm``).

    Args:
        name: a name of ``MODELS``, or ``spm:`` and the path of a model.
    """

    def __init__(self, name: str) -> None:
        processor = import_module("sentencepiece").SentencePieceProcessor
        self.name = name
        path = Path(name.removeprefix(_OWN)) if name.startswith(_OWN) else _cached(name)
        try:
            content = path.read_bytes()
            self._pieces: Any = processor(model_proto=content)
        except (OSError, RuntimeError) as error:
            raise InputError(f"{path} cannot be read as a SentencePiece model: {error}") from error
        if name.startswith(_OWN):
            # The name of the file does not identify the model.
            self.signature = f"spm-{path.stem}-{hashlib.sha256(content).hexdigest()[:8]}"
        else:
            self.signature = MODELS[name][1]

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return self.split(line.rstrip())

    def split(self, line: str) -> list[str]:
        """Return the pieces of `line`, whose white space at the end may matter."""
        pieces: list[str] = self._pieces.encode_as_pieces(line)
        return pieces


spm, flores101, flores200, spbleu_1k = (partial(SentencePieceTokenizer, name) for name in MODELS)


def _cached(name: str) -> Path:
    """The path of a model in sacreBLEU's cache; it is downloaded if it is not there."""
    folder = Path(os.environ.get("SACREBLEU", Path("~").expanduser() / ".sacrebleu")) / "models"
    path = folder / MODELS[name][0]
    if path.is_file() and path.stat().st_size:
        return path
    advice = f"copy it there from another machine, or give tok={_OWN}MODEL"
    try:
        url = package("tokenizers.tokenizer_spm").SPM_MODELS[MODELS[name][1]]["url"]
        package("utils").download_file(url, str(path))
    except MissingExtraError as error:
        raise InputError(
            f"the model of the tokenizer '{name}' is not in {folder}: pip install 'mtassay[testsets]' to download it, "
            f"{advice}"
        ) from error
    except (OSError, SystemExit) as error:
        raise InputError(
            f"the model of the tokenizer '{name}' is not in {folder} and cannot be downloaded ({error}): {advice}"
        ) from error
    return path
