"""Games of the search against itself, many at once, and what there is to learn from them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch

from azlearn.games import RulesGame
from azlearn.learning.replay import Samples, num_words
from azlearn.learning.resignation import Resignation
from azlearn.learning.settings import TrainSettings
from azlearn.learning.surprise import num_copies, surprise
from azlearn.search import BatchedPUCT
from azlearn.search.engine import Engine
from azlearn.search.evaluators import answers_alike
from azlearn.search.plans import Edges
from azlearn.search.proofs import proof

# What a random draw is for: part of its seed; worker.py has a 2.
_START, _MOVE, _FULL, _COPIES = 0, 1, 3, 4
GOLDEN = (5**0.5 - 1) / 2  # its multiples, modulo 1, fill every stretch of [0, 1] at its rate


class Record(NamedTuple):
    """One searched position of a game."""

    state: Any  # the game's own
    policy: np.ndarray  # float32 [num_actions], what the plan would have a network learn
    root_value: float  # what the plan takes the root to be worth, for the player to move
    proven: bool = False  # that is no estimate
    surprise: float = 0.0  # see surprise.py; worked out if the settings ask for it


@dataclass
class GameUnderWay:
    """A game that is being played. Its number and the seed of the run decide every random draw."""

    number: int
    state: Any
    ply: int = 0  # including the random opening
    records: list[Record] = field(default_factory=list)


@dataclass
class Statistics:
    """What a stretch of self-play did."""

    games: int = 0
    moves: int = 0
    evaluations: int = 0  # positions that the network saw
    cached: int = 0  # positions that it did not have to see again
    wins: int = 0  # of the first player
    draws: int = 0
    plies: int = 0  # of the finished games together
    resigned: int = 0
    decided: int = 0  # games that ended because the search had proven how they would
    played_out: int = 0  # games in which nobody may resign
    false_resignations: int = 0  # of those: a side that did not lose would have resigned
    samples: int = 0  # positions of the finished games
    entropy: float = 0.0  # of π, summed over the samples, in nats


class SelfPlay:
    """Plays games in ``settings.num_games`` slots; a finished game's slot is taken by the next.

    Games, moves and samples do not depend on the number of slots, as long as nobody resigns, no
    tree is kept and the evaluator answers a position always alike: a game's draws are seeded by
    its number, and its searches do not see the other games. A game ends by its rules, after
    ``game.max_plies`` plies at the latest. A move is searched from nothing, unless
    ``settings.keep_tree``; a cache of the engine brings back what the last tree knew.

    PUCT has Dirichlet noise at its roots, and draws its first moves from their visits. Gumbel's
    plan has Gumbel noise and needs no temperature: the move that it plays is the draw.

    With ``settings.full_search_share`` below 1 that share of the moves is searched fully, and they
    alone are learnt from; the others get few simulations and no noise (playout cap randomisation,
    Wu 2019, section 3.1). With ``settings.proves`` a position that is proven is learnt as such, by
    fast searches, too; the game is then over, unless it is one that is played out, and its earlier
    positions learn what has been proven, whatever comes of it.

    With ``settings.surprise_share`` a position is learnt from more than once, once or not at all,
    as ``surprise.num_copies`` says.

    Args:
        rank, world_size: this process plays the games with number ``rank`` modulo ``world_size``.
        engine: of ``settings.num_games`` games; None: compiled loops, their cache by ``symmetry``.
    """

    def __init__(
        self,
        settings: TrainSettings,
        rank: int = 0,
        world_size: int = 1,
        engine: Engine | None = None,
    ) -> None:
        self.settings, self.game = settings, settings.make_game()
        self.world_size, self.next_number = world_size, rank
        self._with_ends = settings.owner_weight > 0
        self.resignation = Resignation(settings.resign_rate)
        self._engine = engine or BatchedPUCT(
            self.game, settings.num_games, settings.simulations, settings.plan(),
            noise_fraction=settings.noise_fraction, proves=settings.proves,
            cache_bits=18 if answers_alike(settings) else 0,
        )  # fmt: skip
        self._noise_fraction = settings.noise_fraction if self._engine.plan.mixes_noise else 0.0
        self.waiting: list[GameUnderWay] = []  # for a slot; of a run that had more ranks before
        self.games = [self._new_game() for _ in range(settings.num_games)]

    def play(
        self,
        evaluate,
        num_moves: int,
        simulations: int | None = None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> tuple[Samples, Statistics]:
        """Plays on until ``num_moves`` moves have been made.

        Games that are under way stay so; their searches begin anew at the next call, which may come
        with another evaluator.

        Args:
            evaluate: a batch evaluator, such as ``NetworkEvaluator.batch``.
            simulations: a move; None: those of the settings, which are the most.
            progress: told the share of the moves made, before every call of ``evaluate``.

        Returns:
            The samples of the games that have ended, and what was done.
        """
        statistics, ended = Statistics(), []
        self._engine.forget()
        self._engine.num_cached = 0
        simulations = self.settings.simulations if simulations is None else simulations
        self._search(range(len(self.games)), simulations)
        while statistics.moves < num_moves:
            slots = self._engine.idle
            for slot, root in zip(slots, self._engine.roots(slots), strict=True):
                self._move(slot, root, statistics, ended)
            self._search(slots, simulations, self.settings.keep_tree)
            progress(min(statistics.moves / num_moves, 1.0))
            leaves = self._engine.select()
            if len(leaves[0]):
                self._engine.update(*evaluate(leaves))
                statistics.evaluations += len(leaves[0])
        statistics.cached = self._engine.num_cached
        self.resignation.calibrate()
        return self._samples(ended), statistics

    def _random(self, purpose: int, number: int, ply: int = 0) -> np.random.Generator:
        return np.random.default_rng([self.settings.seed, purpose, number, ply])

    def _new_game(self) -> GameUnderWay:
        if self.waiting:
            return self.waiting.pop(0)
        number = self.next_number
        self.next_number += self.world_size
        opening = random_opening(self.game, self.settings, self._random(_START, number))
        return GameUnderWay(number, *opening)

    def _search(self, slots, simulations: int, keep: bool = False) -> None:
        """Begins the search for the next move of the games in ``slots``."""
        if not len(slots):
            return
        games = [self.games[slot] for slot in slots]
        noise, is_full = np.zeros((len(games), self.game.num_actions)), map(self._is_full, games)
        is_full = np.fromiter(is_full, bool)
        for row in np.flatnonzero(is_full):
            game = games[row]
            legal = self.game.legal_actions(game.state)
            rng = self._random(_MOVE, game.number, game.ply)
            if self._engine.plan.mixes_noise:
                alpha = self.settings.noise_total / len(legal)
                noise[row, legal] = rng.dirichlet([alpha] * len(legal))
            else:
                noise[row, legal] = rng.gumbel(size=len(legal))
        if not is_full.all():
            fast = min(simulations, self.settings.fast_simulations)
            simulations = np.where(is_full, simulations, fast)
        states = self.game.stack([game.state for game in games])
        kept = {"keep": True} if keep else {}  # engines on a device always begin anew
        self._engine.start(states, simulations, noise, rows=slots, **kept)

    def _move(self, slot: int, root: Edges, statistics: Statistics, ended: list) -> None:
        """Makes the move that the search in ``slot`` has found; ``root`` is what it knows."""
        settings, game = self.settings, self.games[slot]
        plan, is_full = self._engine.plan, self._is_full(game)
        policy, root_value = plan.policy(root), plan.value(root)
        proven = proof(root.known) if settings.proves else None
        if plan.mixes_noise and game.ply < settings.temperature_plies:
            # A generator of its own, one step past the search's: noise and move are independent.
            rng = self._random(_MOVE, game.number, game.ply).spawn(1)[0]
            action = int(rng.choice(len(policy), p=policy))
        else:
            action = plan.best_action(root)
        mover = self.game.to_play(game.state)
        if is_full or proven is not None:
            found = surprise(policy, root, self._noise_fraction) if settings.surprise_share else 0.0
            policy = policy.astype(np.float32)
            game.records.append(Record(game.state, policy, root_value, proven is not None, found))
        game.state = self.game.next_state(game.state, int(action))
        game.ply += 1
        statistics.moves += 1
        outcome = self.game.outcome(game.state)  # for the player to move now
        played_out = game.number * GOLDEN % 1 < settings.played_out_share  # spread evenly
        if outcome is None and not played_out:
            resigns = proven is None and is_full and self.resignation.resigns(root_value)
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
                statistics.false_resignations += self.resignation.observe(root_values, results)
            ended.append((game, outcome))
            self.games[slot] = self._new_game()

    def _count(self, game: GameUnderWay, outcome: int, statistics: Statistics) -> None:
        statistics.games += 1
        statistics.plies += game.ply
        first_to_move = self.game.to_play(game.state) == 0
        statistics.draws += outcome == 0
        statistics.wins += outcome == (1 if first_to_move else -1)
        statistics.samples += len(game.records)
        for record in game.records:
            p = record.policy[record.policy > 0]
            statistics.entropy -= float((p * np.log(p)).sum())

    def _results(self, game: GameUnderWay, outcome: int) -> list[int]:
        """z of every record, for its mover: what was proven next, or how the game ended;
        ``outcome`` is for the player to move at the end."""
        z, player, results = outcome, self.game.to_play(game.state), []
        for record in reversed(game.records):
            mover = self.game.to_play(record.state)
            if record.proven:
                z, player = int(record.root_value), mover
            results.append(z if mover == player else -z)
        return results[::-1]

    def _is_full(self, game: GameUnderWay) -> bool:
        """Whether the next move is one of those that are searched fully."""
        share = self.settings.full_search_share
        return share == 1 or self._random(_FULL, game.number, game.ply).random() < share

    def _samples(self, ended: list) -> Samples:
        share, rows = self.settings.root_value_share, []
        # By number: the order of the samples, too, must not depend on the number of slots.
        for game, outcome in sorted(ended, key=lambda pair: pair[0].number):
            results, copies = self._results(game, outcome), self._copies(game)
            columns = (reversed(column) for column in (game.records, results, copies))
            for record, z, count in zip(*columns, strict=True):
                target = (1 - share) * z + share * record.root_value
                words = (*record.state, *game.state) if self._with_ends else record.state
                rows += [(words, record.policy, target)] * count
        states, policy, value = zip(*rows, strict=True) if rows else ((), (), ())
        return Samples(
            self._words(states, num_words(self.game, self._with_ends)),
            self._policies(policy),
            torch.tensor(value, dtype=torch.float32),
        )

    def _copies(self, game: GameUnderWay) -> list[int]:
        """How often each record is learnt from."""
        share = self.settings.surprise_share
        if not share:
            return [1] * len(game.records)
        surprises = [record.surprise for record in game.records]
        return num_copies(surprises, share, self._random(_COPIES, game.number)).tolist()

    def _words(self, states, width: int | None = None) -> torch.Tensor:
        """int64 [n, width], by default the words of one state."""
        width = width or len(self.game.State._fields)
        return torch.tensor(states, dtype=torch.int64).reshape(-1, width)

    def _policies(self, policies) -> torch.Tensor:
        """float32 [n, num_actions]."""
        return torch.from_numpy(np.array(policies, np.float32).reshape(-1, self.game.num_actions))

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: the games under way with their records, one after the other;
        the number of the next game; and what resigning has learnt."""
        games = self.games + self.waiting
        records = [record for game in games for record in game.records]
        return {
            "games.state": self._words([game.state for game in games]),
            "games.number": torch.tensor([game.number for game in games]),
            "games.ply": torch.tensor([game.ply for game in games]),
            "games.num_records": torch.tensor([len(game.records) for game in games]),
            "records.state": self._words([record.state for record in records]),
            "records.policy": self._policies([record.policy for record in records]),
            "records.root_value": torch.tensor(
                [record.root_value for record in records], dtype=torch.float64
            ),
            "records.proven": torch.tensor([record.proven for record in records]).bool(),
            "records.surprise": torch.tensor(
                [record.surprise for record in records], dtype=torch.float64
            ),
            "resignation.lowest": torch.tensor(self.resignation.lowest, dtype=torch.float64),
            "next_number": self.next_number,
            "threshold": self.resignation.threshold,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on with the games that ``state_dict`` gave, that of a ``DeviceSelfPlay``, or
        ``redistributed``. Where there are more of them than slots the rest waits for one, where
        there are fewer new games begin.
        """
        columns = zip(*(state[f"records.{name}"] for name in Record._fields), strict=True)
        records = (
            Record(
                self.game.state_of(words),
                policy.numpy().copy(),
                float(value),
                bool(proven),
                float(found),
            )
            for words, policy, value, proven, found in columns
        )
        columns = (state[f"games.{name}"] for name in ("number", "state", "ply", "num_records"))
        games = [
            GameUnderWay(
                int(number), self.game.state_of(words), int(ply), list(islice(records, count))
            )
            for number, words, ply, count in zip(*columns, strict=True)
        ]
        self.next_number, self.waiting = state["next_number"], games
        self.games = [self._new_game() for _ in self.games]
        self.resignation.threshold = state["threshold"]
        self.resignation.lowest.extend(state["resignation.lowest"].tolist())


def random_opening(
    game: RulesGame, settings: TrainSettings, rng: np.random.Generator
) -> tuple[Any, int]:
    """``(state, ply)`` from which a game starts: not finished, some random moves played or none."""
    while True:
        state, ply = game.initial_state(), 0
        if rng.random() < settings.opening_share and settings.opening_plies:
            ply = int(rng.integers(1, settings.opening_plies + 1))
        for _ in range(ply):
            if legal := game.legal_actions(state):
                state = game.next_state(state, int(rng.choice(legal)))
        if game.outcome(state) is None:
            return state, ply
