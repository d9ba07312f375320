"""Public data for tests, studies and benchmarks: where they are, and how they are built from public repositories.

``files.tsv`` lists every file with its size, its SHA-256, the recipe that makes it and where its source is;
``sources.tsv`` names the commit of each repository; ``edits.zip`` holds what was changed in texts that the original
tools were given (``edits.py``).
"""

from real_data.folder import COMMAND, data_folder

__all__ = ["COMMAND", "data_folder"]
