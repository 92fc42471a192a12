"""Gives each process of a run one thread of torch.

With two threads each, processes on two busy cores wait for each other and take four times as long.
"""

from azlearn.learning import launch

wanted_threads = launch.num_threads  # as it is outside of the tests


def one_each() -> None:
    """Applies to the runs of this process and of processes forked from it."""
    launch.num_threads = lambda: 1
