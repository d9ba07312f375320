"""Trees by link-parser, the program of the Debian package link-grammar.

It prints constituents, and links between words, which ``mtassay.text.annotate.linkage`` converts to dependencies. If a
linkage leaves words out, the tree is marked as partial, but is used like any other.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from mtassay.data.annotations import Annotations
from mtassay.errors import InputError, MtassayError
from mtassay.text.annotate.annotator import Argument
from mtassay.text.annotate.linkage import LAYERS, RULES, parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

INSTALL = "apt-get install link-grammar link-grammar-dictionaries-en"
#: Options that affect annotations; the version includes them.
_LIMIT, _SHORT = 100, 16
_OPTIONS = (
    *("--quiet", "-verbosity=0", "-graphics=0", "-constituents=3", "-postscript=1", "-walls=1", "-morphology=1"),
    *(f"-limit={_LIMIT}", f"-short={_SHORT}", "-spell=0"),
)
#: The display width has no effect here; the response to setting it marks where the output of a sentence begins.
_FIRST_MARK = 20_000
_MARK = re.compile(r"^width set to (\d+)$", re.MULTILINE)


class LinkGrammar:
    """link-parser with its English or another dictionary.

    Args:
        language: name of the dictionary.
        timeout: seconds for one text, after which link-parser settles for any linkage.
        command: the program.
    """

    name: ClassVar[str] = "link-grammar"
    argument: ClassVar[Argument] = Argument.LANGUAGE_CODE
    is_parallel: ClassVar[bool] = True  # each call has its own process
    is_kept: ClassVar[bool] = True
    provides: ClassVar[frozenset[str]] = LAYERS

    def __init__(self, language: str = "en", *, timeout: int = 5, command: str = "link-parser") -> None:
        self._command = shutil.which(command)
        if self._command is None:
            raise MtassayError(f"there is no program {command}; install it: {INSTALL}")
        self._language = language
        self._timeout = timeout

    @cached_property
    def version(self) -> str:
        """The version of the program and its options."""
        ran = self._run(["--version"], "", 60)
        found = re.search(r"link-grammar-(\S+)", (ran and ran.stdout + ran.stderr) or "")
        if found is None:
            raise MtassayError(f"{self._command} --version does not respond like link-parser")
        options = f"limit={_LIMIT} short={_SHORT} timeout={self._timeout} rules={RULES}"
        return f"{found[1]} {self._language} {options}"

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Parse texts, none of them empty; the annotations of a text on which the program fails are missing."""
        # A tab in front keeps '!' and '%' from being commands.
        lines = [f"!width={_FIRST_MARK + i}\n\t{_one_line(text)}\n" for i, text in enumerate(texts)]
        # The program's own time limit does not cover everything.
        found = _sections(
            self._ask([*lines, f"!width={_FIRST_MARK + len(texts)}\n"], 20 + 3 * self._timeout * len(texts))
        )
        if len(found) == len(texts):
            return [parsed(found[i]) for i in range(len(texts))]
        if len(texts) == 1:
            self._check()
            return [Annotations.missing(LAYERS)]
        # The program failed on one of the texts: bisect to find it.
        half = len(texts) // 2
        return [*self.annotate(texts[:half]), *self.annotate(texts[half:])]

    def _ask(self, lines: list[str], seconds: float) -> str:
        ran = self._run([self._language, *_OPTIONS, f"-timeout={self._timeout}"], "".join(lines), seconds)
        return "" if ran is None else ran.stdout

    def _check(self) -> None:
        """Reject a program that does not respond even without input."""
        ran = self._run([self._language, *_OPTIONS], f"!width={_FIRST_MARK}\n", 60)
        if ran is not None and _MARK.search(ran.stdout) is None:
            said = [line for line in (ran.stderr or ran.stdout).splitlines() if "rror" in line]
            reason = said[0].strip()[:200] if said else f"it ends with status {ran.returncode}"
            raise InputError(f"link-parser {self._language} does not run: {reason}")

    def _run(self, arguments: list[str], text: str, seconds: float) -> subprocess.CompletedProcess[str] | None:
        """What the program prints; None if it takes too long."""
        try:
            return subprocess.run(
                [str(self._command), *arguments],
                input=text,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            raise MtassayError(f"{self._command} cannot be run: {error.strerror}") from None


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split()) or "."


def _sections(output: str) -> dict[int, str]:
    """The output for each text; a text is included only if output follows it."""
    marks = list(_MARK.finditer(output))
    return {
        int(mark[1]) - _FIRST_MARK: output[mark.end() : after.start()]
        for mark, after in pairwise(marks)
        if int(after[1]) == int(mark[1]) + 1
    }
