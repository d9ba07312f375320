"""Default instructions for judges, in plain text: a blank line between paragraphs."""

from __future__ import annotations

_TEXTS = {"source": "the source", "reference": "a translation by a person (the reference)"}
_ASKED = {
    "rank": "Rank the outputs from 1 (best) to 5 (worst). Outputs that you find equally good get the same rank. A rank "
    "may stay unused.",
    "pair": "Say which of two outputs is the better translation, or that neither is better.",
    "da-adequacy": "Say how well the output expresses the meaning of the text beside it, from 0 (not at all) to 100 "
    "(perfectly). Errors of style matter only where they change the meaning.",
    "da-fluency": "Say how fluent the text is, from 0 (not understandable) to 100 (flawless). What it means does not "
    "matter.",
    "likert": "Give two scores from 1 to 5. Adequacy: how much of the meaning is expressed (1 nothing, 5 everything). "
    "Fluency: how good the language is (1 not understandable, 5 flawless).",
    "esa": "First mark the errors: choose the words and say whether the error is minor or major. A major error changes "
    "the meaning or makes the text hard to understand. If something is missing, choose “missing” at the end. Then give "
    "the whole output a score from 0 (no meaning preserved) to 100 (perfect).",
    "mqm": "Mark every error: choose the words, the category, and the severity. A minor error is noticed but does not "
    "mislead; a major error confuses or changes the meaning; a critical error can do harm. If something is missing, "
    "choose “missing” at the end. If there is no error, say so.",
}
_KEYS = {
    "rank": "Keys: 1 to 5 rank the next output, Backspace takes the last rank back, Enter saves.",
    "pair": "Keys: 1 or 2 for the better output, 0 for neither, Enter saves.",
    "da": "Keys: type the score or use the arrow keys, Enter saves.",
    "likert": "Keys: 1 to 5 give the next score, Backspace takes it back, Enter saves.",
    "esa": "Keys: arrow keys move between words, Space chooses, Enter saves.",
    "mqm": "Keys: arrow keys move between words, Space chooses, Enter saves.",
}
_GENERAL = (
    "Outputs come from different systems in random order; you are not told which. Some are very similar: read them to "
    "the end.\n\nEvery answer is saved as soon as you go on. You can pause at any time and continue later with your "
    "personal link, and you can go back and change your answers."
)


def default_instructions(protocol: str, *, aspect: str | None, shows: tuple[str, ...]) -> str:
    """The instructions of a protocol."""
    asked = _ASKED[f"da-{aspect}" if protocol == "da" else protocol]
    beside = " and ".join(_TEXTS[one] for one in shows)
    given = f"You see {beside}, and what machine translation made of it." if shows else "You see single texts."
    return f"{given}\n\n{asked}\n\n{_KEYS[protocol]}\n\n{_GENERAL}"
