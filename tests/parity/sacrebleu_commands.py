"""Run command lines of sacreBLEU, or of the module that takes its place, each in a process of its own.

usage: python sacrebleu_commands.py MODULE FOLDER < commands.json

MODULE has ``main``. Every command is a list of arguments and the name of the file that is its standard input; the
results are printed as JSON: exit status and standard output. Modules are imported once, for all commands.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib import import_module


def run(module: str, words: list[str], stdin: str) -> tuple[int, str]:
    """Run one command."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            status = 70
            try:
                os.dup2(out.fileno(), 1)
                os.dup2(os.open(stdin, os.O_RDONLY), 0)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                sys.argv = ["__main__.py", *words]
                import_module(module).main()
                status = 0
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else int(bool(end.code))
            finally:
                sys.stdout.flush()
                os._exit(status)
        _, waited = os.waitpid(child, 0)
        out.seek(0)
        return os.waitstatus_to_exitcode(waited), out.read().decode("utf-8")


if __name__ == "__main__":
    import_module(sys.argv[1])
    commands = json.load(sys.stdin)
    os.chdir(sys.argv[2])
    print(json.dumps([run(sys.argv[1], words, stdin) for words, stdin in commands]))
