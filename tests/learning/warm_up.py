"""Imports everything that a run needs; only the server of ``children`` imports this file."""

import torch.utils.tensorboard  # noqa: F401

import azlearn.arena
import azlearn.cli.train_display  # noqa: F401
from tests.threads import one_each

one_each()  # a forked process has no use for this one's threads
