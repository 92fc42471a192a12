"""Networks, and how a search teaches them: self-play, replay, training, checkpoints."""

from azlearn.learning.augment import augment
from azlearn.learning.loss import Loss, loss, masked_log_softmax
from azlearn.learning.network import SIZES, ResNet

__all__ = ["SIZES", "Loss", "ResNet", "augment", "loss", "masked_log_softmax"]
