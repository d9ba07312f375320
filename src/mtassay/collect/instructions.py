"""Default instructions for judges, in plain text; blank lines separate paragraphs."""

from __future__ import annotations

_TEXTS = {"source": "the source", "reference": "a translation by a person (the reference)"}
_ASKED = {
    "rank": "Rank the outputs from 1 (best) to 5 (worst). Give outputs that you find equally good the same rank. You "
    "do not have to use every rank.",
    "pair": "Say which of two outputs is the better translation, or that neither is better.",
    "da-adequacy": "Say how well the output expresses the meaning of the text beside it, from 0 (not at all) to 100 "
    "(perfectly). Errors of style matter only if they change the meaning.",
    "da-fluency": "Say how fluent the text is, from 0 (not understandable) to 100 (flawless). Its meaning does not "
    "matter.",
    "likert": "Give two scores from 1 to 5. Adequacy: how much of the meaning is expressed (1 nothing, 5 everything). "
    "Fluency: how good the language is (1 not understandable, 5 flawless).",
    "esa": "First mark the errors: choose the words and say whether the error is minor or major. A major error changes "
    "the meaning or makes the text hard to understand. If something is missing, choose “missing” at the end. Then give "
    "the whole output a score from 0 (no meaning preserved) to 100 (perfect).",
    "mqm": "Mark every error: choose the words, the category, and the severity. A minor error is noticeable but does "
    "not mislead; a major error confuses the reader or changes the meaning; a critical error can do harm. If something "
    "is missing, choose “missing” at the end. If there is no error, choose “There is no error”.",
}
_KEYS = {
    "rank": "Keys: 1 to 5 rank the next output, Backspace removes the last rank, Enter saves.",
    "pair": "Keys: 1 or 2 for the better output, 0 for neither, Enter saves.",
    "da": "Keys: type the score or use the arrow keys, Enter saves.",
    "likert": "Keys: 1 to 5 give the next score, Backspace removes the last score, Enter saves.",
    "esa": "Keys: arrow keys move between words, Space chooses, Enter saves.",
    "mqm": "Keys: arrow keys move between words, Space chooses, Enter saves.",
}
_GENERAL = (
    "Outputs come from different systems, in random order and without their names. Some are very similar: read them to "
    "the end.\n\nEvery answer is saved when you go on. You can pause at any time and continue later with your "
    "personal link, and you can go back and change your answers."
)


def default_instructions(protocol: str, *, aspect: str | None, shows: tuple[str, ...]) -> str:
    """The instructions of a protocol."""
    asked = _ASKED[f"da-{aspect}" if protocol == "da" else protocol]
    beside = " and ".join(_TEXTS[one] for one in shows)
    given = f"You see {beside}, and outputs of machine translation." if shows else "You see single texts."
    return f"{given}\n\n{asked}\n\n{_KEYS[protocol]}\n\n{_GENERAL}"
