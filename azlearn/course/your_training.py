"""AlphaZero with the student's six functions of chapter 10, trained until nobody can beat it.

The student's functions play the games, make the samples, keep the window, run an iteration and
decide when to stop. Network, search, loss and settings are those of ``azlearn.minimal``.
"""

from collections.abc import Callable
from functools import cache
from time import perf_counter

import numpy as np
import torch

from azlearn.arena import PUCTPlayer, find_losing_line
from azlearn.course.api import check
from azlearn.games import State, TicTacToe, minimax_value
from azlearn.learning import LoadedNetwork, NetworkEvaluator, loss
from azlearn.minimal import AlphaZero
from azlearn.search import BatchedSearch

GAME = TicTacToe()
MOST_ITERATIONS = 100
EXERCISES = {
    "learn_and_play": "10.1", "self_play_game": "10.2", "samples": "10.3", "replay_step": "10.4",
    "iteration": "10.5", "stop_at": "10.6",
}  # fmt: skip


class NotRightYet(ValueError):
    """Raised when a student's function is wrong; a notebook shows only the message."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@cache
def unfinished() -> list[State]:
    """Returns all positions in which the game is not over."""
    known: dict[State, int] = {}
    minimax_value(GAME, GAME.initial_state(), known)
    return [state for state in known if GAME.outcome(state) is None]


class YourTraining(AlphaZero):
    """``AlphaZero`` with six functions replaced by the student's.

    Args:
        yours: the functions, by the names in ``EXERCISES``.
        seed: the seed of the weights and of all random choices.
    """

    def __init__(self, yours: dict[str, Callable], seed: int = 0) -> None:
        super().__init__(GAME, seed)
        self.yours, self.new, self.finals = yours, [], []

    def train_iteration(self) -> list[float]:
        """Runs an iteration and returns the loss of every step."""
        return self.yours["iteration"](
            self.network, self.optimizer, self.play_games, self.batch, self.turned, self.loss_of,
            self.num_steps,
        )  # fmt: skip

    def play_games(self, network: torch.nn.Module) -> None:
        """The argument *play* of exercise 10.5."""
        # The games are played one after the other, and evaluating one position at a time is slow.
        # So the network evaluates all 4,520 positions at once, and the searches look them up.
        prior, value = NetworkEvaluator(GAME, network).batch(GAME.stack(unfinished()))
        rows = {state: row for row, state in enumerate(unfinished())}
        engine = BatchedSearch(GAME, 1, self.simulations, cache_bits=14)

        def search(state: State, noise: np.ndarray) -> np.ndarray:
            engine.start(GAME.stack([state]), self.simulations, [noise])
            while len((leaves := engine.select())[0]):
                row = rows[leaves.me[0], leaves.opp[0]]
                engine.update(prior[[row]], value[[row]])
            return engine.visit_counts[0, 0].copy()

        def make_noise(legal_actions: list[int]) -> np.ndarray:
            noise, n = np.zeros(GAME.num_actions), len(legal_actions)
            noise[legal_actions] = self.rng.dirichlet([self.noise_total / n] * n)
            return noise

        def choose(visit_counts: np.ndarray, ply: int) -> tuple:
            visits = [int(n) for n in visit_counts]
            return self.yours["learn_and_play"](visits, ply, self.temperature_plies, 1.0, self.rng)

        self.new, self.finals = [], []
        for _ in range(self.num_games):
            state = self.opening()
            game = self.yours["self_play_game"](
                GAME, state, GAME.num_plies(state), search, make_noise, choose
            )
            self.new += self.yours["samples"](GAME, *game)
            self.finals.append(game[-1])

    def batch(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The argument *draw*; its first call after new games adds them to the window."""
        self.replay, drawn = self.yours["replay_step"](
            self.replay, self.new, self.window, self.batch_size, self.rng
        )
        self.new = []
        states, policy, z = zip(*drawn, strict=True)
        states = State(*map(torch.as_tensor, GAME.stack(states)))
        return (
            GAME.batch_encode(states),
            torch.tensor(np.array(policy), dtype=torch.float32),
            torch.tensor(z, dtype=torch.float32),
        )

    def turned(self, planes: torch.Tensor, policy: torch.Tensor) -> tuple:
        """The argument *turn*: transforms each sample by a random symmetry."""
        return self.turn(planes, policy, policy > 0)[:2]

    def loss_of(self, network, planes, policy, z) -> torch.Tensor:
        """The argument *loss*; the legal moves are read from the planes."""
        is_free = ~planes.bool().any(1).flatten(1)
        return loss(network, planes, is_free, policy, z, l2=self.decay()).total


def train_with(
    learn_and_play: Callable,
    self_play_game: Callable,
    samples: Callable,
    replay_step: Callable,
    iteration: Callable,
    stop_at: Callable,
    *,
    seed: int = 0,
    patience: int = 3,
    say: Callable[[str], None] = print,
) -> LoadedNetwork:
    """Trains a network for tic-tac-toe with your six functions, until nobody can beat it.

    After every iteration of 64 games, an exhaustive search finds out whether any sequence of
    replies beats the player with 25 simulations per move; your ``stop_at`` decides when to stop.

    Args:
        patience: passed on to ``stop_at``.
        say: called with one line of text per iteration.

    Returns:
        The network, for ``explore``, ``PUCTPlayer``, ``play_match`` and ``save_network``. Its
        ``info["rows"]`` has one dict per iteration: ``iteration``, ``games``, ``loss``, ``draws``
        (a fraction), ``line`` (a game that it loses, or None if it loses none), ``seconds``.

    Raises:
        NotRightYet: one of the functions is wrong or unfinished; the message says which.
        RuntimeError: there was no proof within 100 iterations.
    """
    given = learn_and_play, self_play_game, samples, replay_step, iteration, stop_at
    yours = dict(zip(EXERCISES, given, strict=True))
    for name, number in EXERCISES.items():
        if not (found := check(number, yours[name], record=False)).is_right:
            raise NotRightYet(f"{name} (exercise {number}) is not ready for training. {found}")
    training, rows, started = YourTraining(yours, seed), [], perf_counter()
    while stop_at([row["line"] is None for row in rows], patience) is None:
        if len(rows) == MOST_ITERATIONS:
            raise RuntimeError(f"No proof after {MOST_ITERATIONS} iterations. Try another seed.")
        losses = training.train_iteration()
        line = find_losing_line(PUCTPlayer(GAME, training.network, training.simulations), GAME)
        rows.append(row := {
            "iteration": len(rows) + 1, "games": (len(rows) + 1) * training.num_games,
            "loss": float(np.mean(losses)),
            "draws": float(np.mean([GAME.outcome(final) == 0 for final in training.finals])),
            "line": line, "seconds": perf_counter() - started,
        })  # fmt: skip
        say(
            f"{row['games']:5,} games: loss {row['loss']:.2f}, {row['draws']:4.0%} drawn, "
            + ("nobody beats it" if line is None else f"it loses {line}")
        )
    return LoadedNetwork(GAME, training.network.eval(), {"rows": rows, "seed": seed})
