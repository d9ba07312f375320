"""Backup, closing and changes of a campaign that may be running."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from time import time
from typing import TYPE_CHECKING

from mtassay.collect.choices import check_count, check_instructions, check_stored_name
from mtassay.collect.database import check_new, set_meta, writing
from mtassay.collect.judges import renew_admin_token
from mtassay.data.campaigns import read_meta, reading
from mtassay.io.atomic import atomic_write

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike


def backup(campaign: PathLike, copy: PathLike) -> int:
    """Copy a campaign, even while it runs; the copy is its state at one moment.

    Args:
        campaign: the file.
        copy: the copy to make; must not exist.

    Returns:
        Number of answers in the copy, including training and all revisions.
    """
    check_new(copy, "choose another name for the copy")
    with reading(campaign) as connection, closing(sqlite3.connect(":memory:")) as made:
        read_meta(connection, campaign)  # an error if it is another database
        connection.execute("COMMIT")
        connection.backup(made)
        n_answers: int = made.execute("SELECT count(*) FROM answer").fetchone()[0]
        content = made.serialize()
    with atomic_write(copy, binary=True, replace=False) as file:
        file.write(content)
    return n_answers


def close(campaign: PathLike, *, reopen: bool = False) -> None:
    """Stop accepting answers; all given answers are kept.

    Args:
        campaign: the file.
        reopen: accept answers again.
    """
    with writing(campaign) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'closed_at'")
        if not reopen:
            set_meta(connection, closed_at=repr(time()))


def edit(
    campaign: PathLike,
    *,
    name: str | None = None,
    instructions: str | None = None,
    judges_per_task: int | None = None,
    new_organiser_link: bool = False,
) -> str | None:
    """Change what may be changed while a campaign runs; tasks, screens and answers never change.

    Args:
        campaign: the file.
        name: new name.
        instructions: new instructions.
        judges_per_task: number of judges who do each task from now on.
        new_organiser_link: make a new link for the organiser; the old one stops working.

    Returns:
        The organiser's new link, if there is one.
    """
    if name is not None:
        check_stored_name(name, "campaign")
    if instructions is not None:
        check_instructions(instructions)
    with writing(campaign) as connection:
        given = {"name": name, "instructions": instructions}
        set_meta(connection, **{key: value for key, value in given.items() if value is not None})
        if judges_per_task is not None:
            k = check_count(judges_per_task, "judges per task")
            connection.execute("UPDATE task SET k = ? WHERE NOT training", (k,))
        base = read_meta(connection, campaign)["url"]
        return renew_admin_token(connection, base) if new_organiser_link else None
