"""Where sources are read: from the network, or from a local mirror."""

from __future__ import annotations

import http.client
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from real_data.errors import DataError

#: The host that serves single files of public repositories.
HOST = "https://raw.githubusercontent.com"
#: Reads a file of a repository: owner/name, commit, path.
Read = Callable[[str, str, str], bytes]
_TIMEOUT_SECONDS = 60
_N_TRIES = 4
_TOO_MANY_REQUESTS = 429


def reader(mirror: str | None) -> Read:
    """How sources are read.

    Args:
        mirror: a folder of repositories, the address of a server with the layout of ``HOST``, or None for ``HOST``.

    Raises:
        DataError: there is no such folder.
    """
    if mirror is None or mirror.startswith(("http://", "https://")):
        return Server(HOST if mirror is None else mirror.rstrip("/")).read
    if not Path(mirror).is_dir():
        raise DataError(f"{mirror}: no such folder of mirrors")
    return MirrorFolder(Path(mirror)).read


class Server:
    """Files at ADDRESS/OWNER/NAME/COMMIT/PATH.

    Args:
        address: the beginning of all addresses.
        pause: seconds before the second try; twice as long before each further one.
    """

    def __init__(self, address: str, *, pause: float = 1.0) -> None:
        self.address = address
        self.pause = pause

    def read(self, repository: str, commit: str, path: str) -> bytes:
        """Download a file, with further tries where the connection fails."""
        address = f"{self.address}/{repository}/{commit}/{quote(path)}"
        for attempt in range(_N_TRIES):
            if attempt:
                time.sleep(self.pause * 2 ** (attempt - 1))
            try:
                with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as response:
                    return bytes(response.read())
            except urllib.error.HTTPError as error:
                error.close()
                problem = f"the server answers {error.code} {error.reason}"
                if error.code < 500 and error.code != _TOO_MANY_REQUESTS:
                    break
            except http.client.IncompleteRead as error:
                problem = f"the download ended after {len(error.partial)} bytes"
            except (OSError, http.client.HTTPException) as error:
                problem = str(getattr(error, "reason", error)) or type(error).__name__
        raise DataError(f"{address}: {problem}")


class MirrorFolder:
    """A folder of repositories, each named owner+name, owner/name or name.

    A repository is a bare git repository, a checkout (read at the commit, whatever is checked out), or a plain folder
    of files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, repository: str, commit: str, path: str) -> bytes:
        """Read a file from the repository's mirror."""
        place = self._place(repository)
        git = place / ".git" if (place / ".git").exists() else place
        if git == place and not ((place / "HEAD").is_file() and (place / "objects").is_dir()):
            try:
                return (place / path).read_bytes()
            except OSError as error:
                raise DataError(f"{place / path}: {error.strerror}") from error
        command = ["git", "-c", "safe.directory=*", "--git-dir", str(git), "cat-file", "blob", f"{commit}:{path}"]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError as error:
            raise DataError(f"{place}: reading a git repository needs the program git") from error
        if done.returncode:
            raise DataError(f"{place}: cannot read {commit}:{path} ({_last_line(done.stderr)})")
        return done.stdout

    def _place(self, repository: str) -> Path:
        name = repository.rpartition("/")[2]
        places = [self.folder / each for each in (repository.replace("/", "+"), repository, name, f"{name}.git")]
        for place in places:
            if place.is_dir():
                return place
        raise DataError(f"{self.folder}: no mirror of {repository} (looked for {places[0].name})")


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "git says nothing"
