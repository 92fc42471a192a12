"""Readable self-play: one function per step, one search per move, no compiler.

The package's own ``SelfPlay`` does the same in compiled loops. Tests compare this version with
hand-worked results, and ``SelfPlay`` with this version.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch

from azlearn.learning.replay import Samples
from azlearn.learning.resignation import Resignation
from azlearn.learning.self_play import Statistics
from azlearn.learning.settings import TrainSettings
from azlearn.search import BatchedSearch
from azlearn.search.engine import draws
from azlearn.search.engine.play import GOLDEN, MIN_PRIOR
from azlearn.search.evaluators import answers_alike
from azlearn.search.proofs import proof
from azlearn.search.tree_policy import NodeStats


class Record(NamedTuple):
    """One searched position of a game."""

    state: Any  # the game's own
    policy: np.ndarray  # float32 [num_actions], the policy target
    root_value: float  # the root's value by the tree policy, for the player to move
    proven: bool = False  # that is no estimate
    surprise: float = 0.0  # see surprise.py; computed only if the settings need it


@dataclass
class ActiveGame:
    """A game in progress. Its number and the run's seed determine every random draw."""

    number: int
    state: Any
    ply: int = 0  # including the random opening
    records: list[Record] = field(default_factory=list)


class ReadableSelfPlay:
    """See ``SelfPlay``; ``engine`` is one of ``settings.num_games`` games.

    Keeps ``ended``: number -> (game, outcome for the player who would move next).
    """

    def __init__(
        self,
        settings: TrainSettings,
        rank: int = 0,
        world_size: int = 1,
        engine: BatchedSearch | None = None,
    ) -> None:
        self.settings, self.game = settings, settings.make_game()
        self.world_size, self.next_number = world_size, rank
        self.ended = {}
        self._with_ends = settings.ownership_weight > 0
        self.resignation = Resignation(settings.resign_rate)
        self._engine = engine or BatchedSearch(
            self.game, settings.num_games, settings.simulations, settings.tree_policy(),
            noise_fraction=settings.noise_fraction, use_solver=settings.use_solver,
            cache_bits=18 if answers_alike(settings) else 0, compiled=False,
        )  # fmt: skip
        self._noise_fraction = (
            settings.noise_fraction if self._engine.tree_policy.mixes_noise else 0.0
        )
        self.games = [self._new_game() for _ in range(settings.num_games)]

    def play(
        self, evaluate, num_moves: int, simulations: int | None = None
    ) -> tuple[Samples, Statistics]:
        """Like ``SelfPlay.play``; samples are in the order of their games' numbers."""
        statistics, ended = Statistics(), []
        self._engine.clear_cache()
        self._engine.num_cached = 0
        simulations = self.settings.simulations if simulations is None else simulations
        self._search(range(len(self.games)), simulations)
        while statistics.moves < num_moves:
            slots = self._engine.finished_games
            for slot, root in zip(slots, self._engine.roots(slots), strict=True):
                self._move(slot, root, statistics, ended)
            self._search(slots, simulations, self.settings.reuse_tree)
            leaves = self._engine.select()
            if len(leaves[0]):
                self._engine.update(*evaluate(leaves))
                statistics.evaluations += len(leaves[0])
        statistics.cached = self._engine.num_cached
        self.resignation.calibrate()
        self.ended |= {game.number: (game, outcome) for game, outcome in ended}
        return self._samples(ended), statistics

    def _uniform(self, purpose: int, number: int, ply: int, which: int = 0) -> float:
        return draws.uniform(self.settings.seed, purpose, number, ply, which)

    def _new_game(self) -> ActiveGame:
        """Starts from the initial position, or from an unfinished one after random moves."""
        number, settings, attempt = self.next_number, self.settings, 0
        self.next_number += self.world_size
        while True:
            state, ply = self.game.initial_state(), 0
            first, second, *others = (
                self._uniform(draws.OPENING, number, attempt, i)
                for i in range(settings.opening_plies + 2)
            )
            if first < settings.random_opening_fraction and settings.opening_plies:
                ply = 1 + int(second * settings.opening_plies)
            for u in others[:ply]:
                if legal := self.game.legal_actions(state):
                    state = self.game.next_state(state, legal[int(u * len(legal))])
            if self.game.outcome(state) is None:
                return ActiveGame(number, state, ply)
            attempt += 1

    def _noise(self, legal_mask: np.ndarray, number: int, ply: int) -> np.ndarray:
        noise, run = np.zeros(self.game.num_actions), self.settings.seed
        if self._engine.tree_policy.mixes_noise:
            draws.dirichlet(noise, self.settings.noise_total, legal_mask, run, number, ply)
        else:
            draws.gumbel(noise, legal_mask, run, number, ply)
        return noise

    def _drawn(self, policy: np.ndarray, number: int, ply: int) -> int:
        shares = np.cumsum(policy)
        return int(np.argmax(shares > self._uniform(draws.MOVE, number, ply) * shares[-1]))

    def _search(self, slots, simulations: int, keep: bool = False) -> None:
        """Starts the search for the next move of the games in ``slots``."""
        if not len(slots):
            return
        games = [self.games[slot] for slot in slots]
        noise, is_full = np.zeros((len(games), self.game.num_actions)), map(self._is_full, games)
        is_full = np.fromiter(is_full, bool)
        for row in np.flatnonzero(is_full):
            game = games[row]
            noise[row] = self._noise(self.game.legal_mask(game.state), game.number, game.ply)
        if not is_full.all():
            fast = min(simulations, self.settings.fast_simulations)
            simulations = np.where(is_full, simulations, fast)
        states = self.game.stack([game.state for game in games])
        self._engine.start(states, simulations, noise, rows=slots, keep=keep)

    def _move(self, slot: int, root: NodeStats, statistics: Statistics, ended: list) -> None:
        """Plays the move that the search in ``slot`` has found; ``root`` holds its results."""
        settings, game = self.settings, self.games[slot]
        tree_policy, is_full = self._engine.tree_policy, self._is_full(game)
        policy, root_value = tree_policy.policy(root), tree_policy.value(root)
        proven = proof(root.known) if settings.use_solver else None
        if tree_policy.mixes_noise and game.ply < settings.temperature_plies:
            action = self._drawn(policy, game.number, game.ply)
        else:
            action = tree_policy.best_action(root)
        mover = self.game.to_play(game.state)
        if is_full or proven is not None:
            found = (
                surprise(policy, root, self._noise_fraction) if settings.surprise_fraction else 0.0
            )
            policy = policy.astype(np.float32)
            game.records.append(Record(game.state, policy, root_value, proven is not None, found))
        game.state = self.game.next_state(game.state, int(action))
        game.ply += 1
        statistics.moves += 1
        outcome = self.game.outcome(game.state)  # for the player to move now
        played_out = game.number * GOLDEN % 1 < settings.played_out_fraction  # spread evenly
        if outcome is None and not played_out:
            resigns = proven is None and is_full and root_value < self.resignation.threshold
            verdict = -1 if resigns else proven  # for the mover
            if verdict is not None:
                outcome = verdict if self.game.to_play(game.state) == mover else -verdict
                statistics.resigned += resigns
                statistics.decided += not resigns
        if outcome is not None:
            self._count(game, outcome, statistics)
            if played_out:
                root_values = [record.root_value for record in game.records]
                results = self._results(game, outcome)
                statistics.played_out += 1
                statistics.false_resignations += observe(self.resignation, root_values, results)
            ended.append((game, outcome))
            self.games[slot] = self._new_game()

    def _count(self, game: ActiveGame, outcome: int, statistics: Statistics) -> None:
        statistics.games += 1
        statistics.plies += game.ply
        first_to_move = self.game.to_play(game.state) == 0
        statistics.draws += outcome == 0
        statistics.wins += outcome == (1 if first_to_move else -1)
        statistics.samples += len(game.records)
        for record in game.records:
            p = record.policy[record.policy > 0]
            statistics.entropy -= float((p * np.log(p)).sum())

    def _results(self, game: ActiveGame, outcome: int) -> list[int]:
        """z of every record, for its mover: the next proven value, or the result of the game.

        ``outcome`` is for the player to move at the end.
        """
        z, player, results = outcome, self.game.to_play(game.state), []
        for record in reversed(game.records):
            mover = self.game.to_play(record.state)
            if record.proven:
                z, player = int(record.root_value), mover
            results.append(z if mover == player else -z)
        return results[::-1]

    def _is_full(self, game: ActiveGame) -> bool:
        """Whether the next move gets a full search."""
        share = self.settings.full_search_prob
        return share == 1 or self._uniform(draws.FULL, game.number, game.ply) < share

    def _samples(self, ended: list) -> Samples:
        share, rows = self.settings.value_target_mix, []
        # Sorted by number, so that the order of the samples does not depend on the slots.
        for game, outcome in sorted(ended, key=lambda pair: pair[0].number):
            results, copies = self._results(game, outcome), self._copies(game)
            columns = (reversed(column) for column in (game.records, results, copies))
            for record, z, count in zip(*columns, strict=True):
                target = (1 - share) * z + share * record.root_value
                words = (*record.state, *game.state) if self._with_ends else record.state
                rows += [(words, record.policy, target)] * count
        words, policy, value = zip(*rows, strict=True) if rows else ((), (), ())
        width = len(self.game.State._fields) * (1 + self._with_ends)
        return Samples(
            torch.tensor(words, dtype=torch.int64).reshape(-1, width),
            torch.from_numpy(np.array(policy, np.float32).reshape(-1, self.game.num_actions)),
            torch.tensor(value, dtype=torch.float32),
        )

    def _copies(self, game: ActiveGame) -> list[int]:
        """How often each record is used in training."""
        share = self.settings.surprise_fraction
        if not share:
            return [1] * len(game.records)
        surprises = [record.surprise for record in game.records]
        u = [self._uniform(draws.COPIES, game.number, i) for i in range(len(surprises))]
        return num_copies(surprises, share, np.array(u)).tolist()


def surprise(policy: np.ndarray, root: NodeStats, noise_fraction: float) -> float:
    """KL(π ‖ P) in nats, where P is the network's prior without root noise.

    Args:
        policy: float [num_actions], π, the policy target.
        root: a root of an engine.
        noise_fraction: the fraction of ``root.noise`` in its prior; noise of zeros means none.
    """
    prior = np.asarray(root.prior, np.float64)
    if root.noise is not None and noise_fraction < 1 and root.noise.any():
        prior = (prior - noise_fraction * root.noise) / (1 - noise_fraction)
    tried = policy > 0
    ratios = policy[tried] / np.maximum(prior[tried], MIN_PRIOR)
    return max(0.0, float(policy[tried] @ np.log(ratios)))


def num_copies(surprises: np.ndarray, share: float, chance: np.ndarray) -> np.ndarray:
    """How often each position of a game is used in training: int [n], with an expected sum of n.

    A position's weight is ``1 - share`` plus its part of ``share * n``. It is used floor(weight)
    times, plus once more with probability equal to the fractional part, decided by ``chance`` in
    (0, 1). If no position was surprising, all weights are 1.
    """
    surprises = np.asarray(surprises, np.float64)
    total = surprises.sum()
    relative = surprises * len(surprises) / total if total > 0 else np.ones(len(surprises))
    weights = 1 - share + share * relative
    return np.floor(weights + chance).astype(np.int64)


def observe(resignation: Resignation, root_values: list[float], results: list[int]) -> bool:
    """Records a game that was played out: its moves' values and its results, each for the mover.

    Returns whether a side that did not lose would have resigned, by the threshold so far.
    """
    kept = [value for value, z in zip(root_values, results, strict=True) if z >= 0]
    if not kept:
        return False
    resignation.lowest.append(min(kept))
    return min(kept) < resignation.threshold
