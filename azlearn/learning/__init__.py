"""Networks, and how a search teaches them: self-play, replay, training, checkpoints."""

from azlearn.learning.augment import augment
from azlearn.learning.budget import Budget, Counters
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.files import (
    DamagedFile,
    LoadedNetwork,
    kept_networks,
    load_network,
    run_folder,
    save_network,
    shipped_networks,
)
from azlearn.learning.given import evaluator_of
from azlearn.learning.loss import Loss, loss, masked_log_softmax
from azlearn.learning.network import SIZES, ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.replay import ReplayBuffer, Samples
from azlearn.learning.run_log import RunLog, read_log
from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import PRESETS, TrainSettings, preset
from azlearn.learning.training import Hooks, Training, TrainingStopped

__all__ = [
    "PRESETS",
    "SIZES",
    "Budget",
    "Counters",
    "DamagedFile",
    "Hooks",
    "LoadedNetwork",
    "Loss",
    "NetworkEvaluator",
    "Ranks",
    "ReplayBuffer",
    "ResNet",
    "RunLog",
    "Samples",
    "SelfPlay",
    "TrainSettings",
    "Training",
    "TrainingStopped",
    "augment",
    "evaluator_of",
    "kept_networks",
    "load_network",
    "loss",
    "masked_log_softmax",
    "preset",
    "read_log",
    "run_folder",
    "save_network",
    "shipped_networks",
]
