"""Reports, which are made in threads and kept in memory until newer ones replace them."""

from __future__ import annotations

import sys
import traceback
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from mtassay.collect.tokens import new_token
from mtassay.collect.web.report_form import command_of
from mtassay.errors import MtassayError
from mtassay.verbs.report import report

if TYPE_CHECKING:
    from mtassay.collect.web.report_form import Request
    from mtassay.data.testset import TestSet

#: Number of reports to keep; after that, the oldest is dropped.
_MOST_KEPT = 20


@dataclass
class Job:
    """A report that is being made, or was.

    Attributes:
        id: random identifier, the last part of its address.
        began: when it started, in seconds.
        page: the report, once it is finished.
        error: the error message, if it failed.
        is_fault: whether the error is a bug, not an error in the input.
    """

    id: str = field(default_factory=new_token)
    began: float = field(default_factory=monotonic)
    page: str | None = None
    error: str = ""
    is_fault: bool = False

    @property
    def is_running(self) -> bool:
        """Whether it is neither finished nor failed."""
        return self.page is None and not self.error


class Jobs:
    """The reports of a server.

    Args:
        most: maximum number of reports made at the same time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(self, testset: TestSet, sent: Request) -> Job | None:
        """Start making a report; None if the maximum number is being made."""
        with self._lock:
            if self.are_all_busy():
                return None
            job = Job()
            self._jobs[job.id] = job
            finished = [other.id for other in self._jobs.values() if not other.is_running]
            for old in finished[: max(0, len(self._jobs) - _MOST_KEPT)]:
                del self._jobs[old]
        # A daemon thread, so that Ctrl-C does not wait for it.
        Thread(target=_make, args=(job, testset, sent), daemon=True).start()
        return job

    def are_all_busy(self) -> bool:
        """Whether the maximum number of reports is being made."""
        return sum(job.is_running for job in list(self._jobs.values())) >= self._most

    def find(self, name: str) -> Job | None:
        """The report with an address."""
        return self._jobs.get(name)


def _make(job: Job, testset: TestSet, sent: Request) -> None:
    try:
        result = report(testset, metrics=sent.metrics, command=command_of(sent))
        job.page = result.render("html", title=sent.title)
    except MtassayError as error:
        job.error = str(error)
    except Exception as error:  # the server continues, and the page shows the error
        traceback.print_exc(file=sys.stderr)
        job.is_fault = True
        job.error = f"The report could not be made ({type(error).__name__}); see the output of the server."
