"""Networks, and how a search teaches them: self-play, replay, training, checkpoints."""

from azlearn.learning.augment import augment
from azlearn.learning.budget import Budget, Counters
from azlearn.learning.evaluator import NetworkEvaluator, resolve_evaluator
from azlearn.learning.files import (
    CorruptFileError,
    LoadedNetwork,
    game_of_network,
    list_snapshots,
    load_network,
    run_folder,
    save_network,
    shipped_networks,
)
from azlearn.learning.loss import Loss, loss, masked_log_softmax
from azlearn.learning.network import SIZES, ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.replay import ReplayBuffer, Samples
from azlearn.learning.run_log import RunLog, read_log
from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import PRESETS, TrainSettings, preset
from azlearn.learning.training import Hooks, Training, TrainingStopped
from azlearn.old_names import old_names

__all__ = [
    "PRESETS",
    "SIZES",
    "Budget",
    "CorruptFileError",
    "Counters",
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
    "game_of_network",
    "list_snapshots",
    "load_network",
    "loss",
    "masked_log_softmax",
    "preset",
    "read_log",
    "resolve_evaluator",
    "run_folder",
    "save_network",
    "shipped_networks",
]

__getattr__ = old_names(
    __name__,
    DamagedFile="CorruptFileError",
    evaluator_of="resolve_evaluator",
    kept_networks="list_snapshots",
)
