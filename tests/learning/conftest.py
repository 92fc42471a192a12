"""One torch thread a process: several of them slow each other down on a busy machine."""

import torch

torch.set_num_threads(1)
