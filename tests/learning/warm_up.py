"""Imported by the server of ``children`` alone: imports and compiles all that a run needs."""

from pathlib import Path
from tempfile import TemporaryDirectory

import torch.utils.tensorboard  # noqa: F401

import azlearn.arena
import azlearn.cli.train_display  # noqa: F401
from tests.learning.tiny_runs import run
from tests.threads import one_each

one_each()  # a forked process has no use for this one's threads

with TemporaryDirectory() as folder:
    run(Path(folder), iterations=4)
