"""Imported by the server of ``children`` alone: imports all that a run needs."""

import torch.utils.tensorboard  # noqa: F401

import azlearn.arena
import azlearn.cli.train_display  # noqa: F401
from tests.threads import one_each

one_each()  # a forked process has no use for this one's threads
