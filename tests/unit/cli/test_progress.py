"""The progress bar: on a terminal only, for work that lasts, and gone at the end."""

from __future__ import annotations

import io
import time
from contextlib import redirect_stderr

import pytest

from mtassay.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal, and a clock that goes on by half a second whenever it is read."""
    ticks = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks) / 2)
    return Terminal()


def test_a_bar_moves_and_leaves_nothing(terminal: Terminal) -> None:
    with redirect_stderr(terminal):
        assert list(progress.bar("scoring")(range(4))) == [0, 1, 2, 3]
    # The clock says 0.5 s at the first item, which is too soon, and 1, 1.5 and 2 s at the others.
    first, *drawn, last = terminal.getvalue().split("\r\x1b[K")
    assert (first, last) == ("", "")
    assert [text.split()[-3:] for text in drawn] == [
        ["25", "%", "0:00:03"],
        ["50", "%", "0:00:02"],
        ["75", "%", "0:00:01"],
    ]
    assert all(text.startswith("scoring ") for text in drawn)


def test_the_bar_is_gone_after_a_failure(terminal: Terminal) -> None:
    def work() -> None:
        for item in progress.bar("scoring")(range(9)):
            if item == 5:
                raise ValueError("broken")

    with redirect_stderr(terminal), pytest.raises(ValueError, match="broken"):
        work()
    assert "%" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_count_grows_and_leaves_nothing(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress.counting("scoring") as show:
        for done in (1000, 2000, 3000):  # at 0.5, 1 and 1.5 seconds
            show(done)
    drawn = ["", "scoring 2,000 segments, 2,000 a second", "scoring 3,000 segments, 2,000 a second", ""]
    assert terminal.getvalue().split("\r\x1b[K") == drawn


def test_a_count_is_silent_in_a_pipe() -> None:
    stream = io.StringIO()
    with redirect_stderr(stream), progress.counting("scoring") as show:
        show(1)
    assert stream.getvalue() == ""


def test_short_work_shows_nothing() -> None:
    stream = Terminal()
    with redirect_stderr(stream):
        assert list(progress.bar("scoring")(range(100))) == list(range(100))
        assert list(progress.bar("scoring")([])) == []
    assert stream.getvalue() == ""


def test_no_terminal_shows_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)
    assert list(progress.bar("scoring")(range(3))) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_bars_of_long_work() -> None:
    assert progress.line("tuning", 0, 5, seconds=60).endswith("  0 % -:--:--")
    assert progress.line("tuning", 1, 3, seconds=3661).endswith(" 33 % 2:02:02")
