"""Trainings with one planted fault each: a method of ``SmallTraining`` is replaced.

The names say what is wrong; the clinic shows only how it looks.
"""

from __future__ import annotations

import numpy as np
import torch

from azlearn.course.small_training import GAME, Sample, SmallTraining
from azlearn.games import State
from azlearn.learning import augment


class WrongPlayer(SmallTraining):
    """z is the result for the player who has just moved."""

    def value_target(self, state: State, final: State) -> float:
        """z: the result of the game for the player to move in ``state``."""
        result = GAME.outcome(final)
        return -result if GAME.to_play(state) == GAME.to_play(final) else result


class PolicyLeftBehind(SmallTraining):
    """The board is turned, π is not."""

    def turn(self, planes, policy, legal_mask) -> tuple:
        """Each sample in a random symmetry."""
        rows = torch.stack([policy, legal_mask.float()], 1)
        planes, rows = augment(GAME, planes, rows, self.rng)
        return planes, policy, rows[:, 1].bool()


class StaleReplay(SmallTraining):
    """Once the window is full, nothing new gets in."""

    def keep(self, new: list[Sample]) -> None:
        """The positions that fit."""
        self.replay = (self.replay + new)[: self.window]


class NoiseEverywhere(SmallTraining):
    """Noise in every prior: at the root and below, in self-play and in matches."""

    def evaluate(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        """What the network says of many positions."""
        self.network.eval()
        p, v = self.ask(states)
        return 0.75 * p + 0.25 * self.noise(states), v


class NotNormalised(SmallTraining):
    """π is raised to 1 / τ, with τ = 0.5, and does not sum to 1 any more."""

    def policy_target(self, visits: np.ndarray) -> np.ndarray:
        """π [9], what the network is to learn from a search."""
        return (visits / visits.sum()) ** (1 / 0.5)


class HeavyDecay(SmallTraining):
    """The weights that the data does not need are driven to 0."""

    def decay(self) -> float:
        """c in c‖θ‖²."""
        return 3e-2


class TrainMode(SmallTraining):
    """The network plays in the mode in which it has just learnt."""

    def evaluate(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        """What the network says of many positions."""
        return self.ask(states)
