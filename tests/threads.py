"""One thread of torch in each process of a run, too: with two each, processes on two busy cores
wait for each other and take four times as long."""

from azlearn.learning import launch

wanted_threads = launch.num_threads  # as it is outside of the tests


def one_each() -> None:
    """In the runs of this process, and in those of the processes that are forked from it."""
    launch.num_threads = lambda: 1
