"""Self-play: a search plays many games against itself in parallel to produce samples."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from azlearn.learning.replay import ReplayBuffer, Samples
from azlearn.learning.resignation import Resignation
from azlearn.learning.settings import TrainSettings
from azlearn.search.batched_search import checked_evaluations
from azlearn.search.engine.backends import cpu_backend
from azlearn.search.engine.columns import (
    COUNTS,
    Cache,
    Games,
    Ring,
    Trees,
    cache_columns,
    game_columns,
    new_table,
    tree_columns,
)
from azlearn.search.engine.loops import play_loops, search_loops
from azlearn.search.engine.play import DIALS, NOBODY
from azlearn.search.evaluators import answers_alike
from azlearn.search.selection import check_count

CACHE_BITS = 18
MOVES = COUNTS.index("moves")
# The columns of ``Games`` that a checkpoint stores, by their names there.
OF_GAMES = {
    "games.state": "words",
    "games.number": "number",
    "games.ply": "ply",
    "games.num_records": "num_records",
}
OF_RECORDS = {
    "records.state": "past_words",
    "records.policy": "past_policy",
    "records.root_value": "past_value",
    "records.proven": "past_proven",
    "records.surprise": "past_surprise",
}


@dataclass
class Statistics:
    """Statistics of one call to ``SelfPlay.play``."""

    games: int = 0
    moves: int = 0
    evaluations: int = 0  # positions evaluated by the network
    cached: int = 0  # positions found in the cache instead
    wins: int = 0  # of the first player
    draws: int = 0
    plies: int = 0  # total over all finished games
    resigned: int = 0
    decided: int = 0  # games that ended early because the search had proven their result
    played_out: int = 0  # games in which neither side may resign
    false_resignations: int = 0  # played-out games that a non-losing side would have resigned
    samples: int = 0  # positions of the finished games
    entropy: float = 0.0  # entropy of π, summed over the samples, in nats


class SelfPlay:
    """Plays games in ``settings.num_games`` slots; when a game ends, the next one takes its slot.

    The games run in compiled loops, see ``search/engine``; this class gives them evaluations. Games
    and moves do not depend on the number of slots, as long as nobody resigns, trees are not reused,
    and the evaluator always returns the same result for a position: a game's random numbers follow
    from its number, and its searches do not see other games. A game ends by its rules, after at
    most ``game.max_plies`` plies. Each search starts with an empty tree, unless
    ``settings.reuse_tree`` is set; a cache returns evaluations from earlier trees.

    PUCT uses Dirichlet noise at its roots, and samples a game's first moves by their visits.
    Gumbel's tree policy uses Gumbel noise and needs no temperature: its choice is already a sample.

    With ``settings.full_search_prob`` below 1, a move is searched fully with this probability, and
    only such moves are trained on; the others get few simulations and no noise (playout cap
    randomization, Wu 2019, section 3.1). With ``settings.use_solver``, a proven position is trained
    on with its proven value, even after a fast search. Its game then ends, unless it must be played
    out; the earlier positions get the proven result as their target, however the game ends.

    With ``settings.surprise_fraction``, a position may be trained on several times, once or not at
    all: this fraction of a game's weight goes to its positions in proportion to how far the
    search's policy is from the network's. KataGo added it after its paper
    (github.com/lightvector/KataGo, docs/KataGoMethods.md, "Policy Surprise Weighting").

    Args:
        rank, world_size: this process plays the games numbered ``rank`` modulo ``world_size``.
        replay: receives the samples of finished games; None: a new buffer.
        compiled: False runs the same loops in plain Python, so that you can step through them.
        num_threads: how many threads share the games; the games are the same for any number.

    Attributes:
        games: the games in progress, one row per slot; see ``Games``.
    """

    def __init__(
        self,
        settings: TrainSettings,
        rank: int = 0,
        world_size: int = 1,
        replay: ReplayBuffer | None = None,
        *,
        compiled: bool = True,
        num_threads: int = 1,
    ) -> None:
        self._num_threads = num_threads
        self._map = ThreadPoolExecutor(num_threads).map if num_threads > 1 else map
        self.settings, self.game = settings, settings.make_game()
        self.world_size, self.next_number = world_size, rank
        with_ends, tree_policy = settings.ownership_weight > 0, settings.tree_policy()
        if replay is None:
            replay = ReplayBuffer(self.game, settings.window, with_ends=with_ends)
        self.replay = replay
        self.resignation = Resignation(settings.resign_rate)
        kind = self.game.rules, type(tree_policy)
        backend = cpu_backend(type(tree_policy)) if compiled else "python"
        self._play = play_loops(*kind, backend, settings.use_solver, settings.reuse_tree, with_ends)
        self._search = search_loops(*kind, backend, settings.use_solver)
        self._numbers, self._seed = tree_policy.numbers, np.array([settings.seed])
        self._noise_fraction = settings.noise_fraction if tree_policy.mixes_noise else 0.0
        self._take_slots(settings.num_games, 0)

    def play(
        self,
        evaluate,
        num_moves: int,
        simulations: int | None = None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> tuple[Samples, Statistics]:
        """Continues the games until ``num_moves`` moves have been made.

        Unfinished games continue in the next call, which may have another evaluator; their current
        searches then start again.

        Args:
            evaluate: a batch evaluator, such as ``NetworkEvaluator.batch``: called with a state of
                int64 [n] and, as ``legal_mask``, bool [n, num_actions].
            simulations: per move; None: the number in the settings, which is the maximum.
            progress: called with the fraction of the moves made, before every ``evaluate``.

        Returns:
            The newest samples of finished games, up to the window of ``replay``, where they are
            also stored, and the statistics of this call.

        Raises:
            ValueError: more simulations than the settings allow, or an invalid evaluation (see
                ``BatchedSearch.update``).
        """
        trees, games, num_added = self.trees, self.games, self.replay.num_added
        dials = self._dials(simulations)
        self._cache.filled[:] = False
        games.counts[:], games.entropy[:], evaluations = 0, 0.0, 0
        self._play.begin(trees, games, dials, self._seed)
        while (moves := int(games.counts[:, MOVES].sum())) < num_moves:
            progress(moves / num_moves)
            while any(self._in_parts(partial(self._advance, dials), len(games.number))):
                pass
            if games.is_over.any():
                self._collect(dials)
            rows = np.flatnonzero(trees.waiting)
            if len(rows):
                leaves = self.game.State(*trees.leaf[rows].T.copy())
                legal_mask = trees.leaf_is_legal[rows]
                answers = evaluate(leaves, legal_mask=legal_mask)
                prior, value = checked_evaluations(*answers, legal_mask)
                told = trees, rows, prior, value, self._noise_fraction
                self._in_parts(partial(self._search.answer, *told), len(rows))
                self._search.keep(trees, self._cache, rows, prior, value)
                evaluations += len(rows)
        return self._found(games.counts, games.entropy, evaluations, num_added)

    def _found(self, counts, entropy, evaluations: int, num_added: int):
        """Returns the result of ``play``, from arrays or tensors."""
        self.resignation.calibrate()
        found = dict(zip(COUNTS, counts.sum(0).tolist(), strict=True))
        found |= {"evaluations": evaluations, "entropy": float(entropy.sum())}
        return self.replay.latest(self.replay.num_added - num_added), Statistics(**found)

    def _in_parts(self, work: Callable, num_items: int) -> list:
        """Returns the results of ``work(first, last)`` for each thread's part of the items."""
        ends = np.linspace(0, num_items, self._num_threads + 1).astype(int).tolist()
        return list(self._map(work, ends[:-1], ends[1:]))

    def _advance(self, dials: np.ndarray, first: int, last: int) -> bool:
        tables = self.trees, self._cache, self.games
        return self._play.advance(*tables, self._numbers, dials, self._seed, first, last)

    def legal_mask(self, states) -> Tensor:
        """Returns the legal actions of positions of the replay buffer.

        Args:
            states: a State of int64 [n].

        Returns:
            bool [n, num_actions], a tensor on the device of ``states``.
        """
        return self.game.batch_legal_mask(states)

    def _collect(self, dials: np.ndarray) -> None:
        """Moves samples of finished games to the replay buffer; starts new games in their slots."""
        calm = self.games.calm[self.games.is_over]
        self.resignation.lowest.extend(calm[calm < NOBODY].tolist())
        ring = Ring(*(column.numpy() for column in self.replay.stored()))
        so_far = self.replay.num_added, self.next_number, self.world_size
        found = self._play.collect(self.trees, self.games, ring, dials, self._seed, *so_far)
        self.replay.num_added, self.next_number = map(int, found)  # NumPy integers in plain Python

    def _dials(self, simulations: int | None = None) -> np.ndarray:
        """Returns the values of ``DIALS``; ValueError for more simulations than allowed."""
        most = self.settings.simulations
        simulations = most if simulations is None else simulations
        check_count(simulations, "simulations", most=most)
        threshold = self.resignation.threshold if self.settings.resign_rate else -1.0
        now = vars(self.settings) | {"simulations": simulations, "threshold": threshold}
        return np.array([float(now[dial]) for dial in DIALS])

    def _take_slots(self, num_games: int, num_known: int) -> None:
        """Allocates ``num_games`` slots; starts new games in all but the first ``num_known``."""
        columns = tree_columns(self.game, self.settings.simulations, self.settings.use_solver)
        self.trees = new_table(Trees, columns, num_games)
        self.games = new_table(Games, game_columns(self.game), num_games)
        slots = (1 << CACHE_BITS) if answers_alike(self.settings) else 0
        self._cache = new_table(Cache, cache_columns(self.game), slots)
        self._open_games(num_known)

    def _open_games(self, num_known: int) -> None:
        self.next_number = self._play.open_games(
            self.trees, self.games, self._dials(), self._seed, num_known, self.next_number,
            self.world_size,
        )  # fmt: skip

    def _columns(self) -> Games:
        """Returns the games in progress as tensors on the host that share memory with ``games``."""
        return Games(*(torch.from_numpy(column) for column in self.games))

    def _take(self, columns: Games) -> None:
        """Continues from data written to ``_columns``; shared memory needs no copy."""

    def state_dict(self) -> dict[str, Any]:
        """Returns the part of self-play that a checkpoint stores.

        These are the games in progress with their records, one after the other; the number of the
        next game; and the state of resignation.
        """
        games = self._columns()
        is_record = torch.arange(games.past_mover.shape[1]) < games.num_records[:, None]
        own = {key: getattr(games, name).clone() for key, name in OF_GAMES.items()}
        of_records = {key: getattr(games, name)[is_record] for key, name in OF_RECORDS.items()}
        return {
            **own,
            **of_records,
            "resignation.lowest": torch.tensor(self.resignation.lowest, dtype=torch.float64),
            "next_number": self.next_number,
            "threshold": self.resignation.threshold,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues the games of a ``state_dict``.

        Each game gets a slot. If there are fewer than ``settings.num_games``, new games start.

        Raises:
            RuntimeError, IndexError: shapes do not match.
        """
        n = len(state["games.number"])
        self.next_number = state["next_number"]
        self._take_slots(max(n, self.settings.num_games), n)
        games = self._columns()
        for key, name in OF_GAMES.items():
            getattr(games, name)[:n] = state[key]
        is_record = torch.arange(games.past_mover.shape[1]) < games.num_records[:n, None]
        for key, name in OF_RECORDS.items():
            getattr(games, name)[:n][is_record] = state[key]
        mover = self.game.batch_to_play(self.game.State(*state["records.state"].unbind(1)))
        games.past_mover[:n][is_record] = mover.to(torch.int8)
        self._take(games)
        self.resignation.lowest.clear()
        self.resignation.lowest.extend(state["resignation.lowest"].tolist())
        self.resignation.threshold = state["threshold"]
