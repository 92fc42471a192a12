"""azlearn: build AlphaZero step by step, and look inside every search."""

from azlearn import torch_threads as torch_threads
