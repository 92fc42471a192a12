"""One thread of torch a process: with two each, processes on two busy cores wait for each other and
take four times as long."""

import os

import torch

from azlearn.learning import launch

wanted_threads = launch.num_threads  # as it is outside of the tests


def one_each() -> None:
    """In this process, and in those that it starts."""
    torch.set_num_threads(1)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    launch.num_threads = lambda: 1
