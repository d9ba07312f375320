"""Score on a Slurm cluster by workers that dask-jobqueue starts: ``python examples/slurm.py ref.txt hyp/*.txt``.

Not run here: there was no Slurm to run it on. Partition, memory and time are yours to change. What is needed besides:
``pip install 'mtassay[cluster]' dask-jobqueue`` in an environment that all nodes see, such as one in a shared home
folder, and files in a folder that all nodes see; files that they do not see are sent to them, which is slower.
"""

from __future__ import annotations

import sys

from dask_jobqueue import SLURMCluster

import mtassay


def main() -> None:
    reference, *systems = sys.argv[1:]
    jobs = SLURMCluster(
        queue="compute",  # the partition
        cores=8,  # of each job
        processes=8,  # one thread each: chunks are computed in Python and compiled code
        memory="16 GB",
        walltime="02:00:00",
    )
    with jobs:
        jobs.scale(jobs=10)
        # Workers join as Slurm starts them; the job begins with the first. Finished chunks stay in the folder "kept":
        # if the allocation ends, the same command goes on from them.
        print(f"mtassay: scheduler {jobs.scheduler_address}; for other commands, --cluster {jobs.scheduler_address}")
        with mtassay.Cluster(jobs.scheduler_address, resume="kept") as cluster:
            print(f"mtassay: dashboard {cluster.dashboard_link}")
            print(mtassay.score_files([reference], systems, metrics=["bleu", "chrf", "ter"], execution=cluster))


if __name__ == "__main__":  # workers may import this file
    main()
