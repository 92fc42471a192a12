"""Self-play on one device: Python only says which step comes next."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import hashed_draws as draws
from azlearn.learning.device.fused import fused
from azlearn.learning.device.games import entropies, new_games, pack, unpack
from azlearn.learning.device.replayed import Replayed, Tape
from azlearn.learning.device.ring import Ring
from azlearn.learning.replay import Samples
from azlearn.learning.resignation import MEMORY, Resignation
from azlearn.learning.self_play import Statistics
from azlearn.learning.settings import TrainSettings
from azlearn.search.engine.play import GOLDEN
from azlearn.search.tensor_trees import TensorTrees, longest_path

COUNTS = ("games", "moves", "wins", "draws", "plies", "resigned", "played_out",
          "false_resignations", "samples", "damaged")  # fmt: skip
NUM_OPENINGS = 16_384  # from which games draw theirs
FEWEST = 3  # simulations are recorded for paths of 2**3 levels, 2**4, … and the longest


class DeviceSelfPlay:
    """Games in ``settings.num_games`` slots, whose samples go to a ring on the same device.

    It plays as ``SelfPlay`` does, by the same settings and with the same statistics, and its state
    is of the same form: a run may go on with one or the other. Three things differ. Every draw is a
    hash of the game's number and the ply (see ``hashed_draws``); openings are drawn from a table of
    ``NUM_OPENINGS``; all games make their moves together.

    ``begin``, ``simulate`` and ``move`` take nothing, give nothing and work on memory that stays
    where it is, so each can be recorded and replayed. Only ``play`` looks at the device, once, when
    all its moves are made.

    Args:
        settings: of the run.
        evaluate: a state of int64 [n] and its legal moves to ``(prior, value)``, on the device,
            such as a ``DeviceEvaluator``; if it has ``damaged``, that is looked at.
        ring: takes the samples of finished games.
        rank, world_size: this process plays the games with number ``rank`` modulo ``world_size``.
        how: see ``Replayed``.
        dtype: of the trees; float64 to equal the readable search.
        compiled: let ``torch.compile`` fuse the operations of a simulation; see ``fused``.

    Raises:
        ValueError: the window has no room for all games under way.
    """

    def __init__(
        self,
        settings: TrainSettings,
        evaluate,
        ring: Ring,
        rank: int = 0,
        world_size: int = 1,
        *,
        how: str = "python",
        dtype: torch.dtype = torch.float32,
        compiled: bool = False,
    ) -> None:
        self.settings, self.evaluate, self.ring = settings, evaluate, ring
        self.rank, self.world_size, self.device = rank, world_size, ring.device
        self._how, self._dtype, self._compiled = how, dtype, compiled
        self._game = TensorGame(ring.game, self.device)
        self.resignation = Resignation(settings.resign_rate)
        rng = np.random.default_rng([settings.seed, draws.START])
        states, plies = zip(
            *(random_opening(ring.game, settings, rng) for _ in range(NUM_OPENINGS)), strict=True
        )
        self._openings = self._tensor(states), self._tensor(plies)
        self._next_number = self._tensor(rank)
        self._threshold = torch.full((), self.resignation.threshold, device=self.device).double()
        self._calm = torch.zeros(MEMORY + 1, dtype=torch.float64, device=self.device)
        self._num_calm = self._tensor(0)
        self._counts = self._tensor([0] * len(COUNTS))
        self._entropy = torch.zeros((), dtype=torch.float64, device=self.device)
        self._take_slots(settings.num_games)
        self._next_games(torch.ones_like(self._slots, dtype=torch.bool), self.games.state)

    def play(self, num_moves: int, simulations: int | None = None) -> Statistics:
        """At least ``num_moves`` moves, as many in every game; the samples go to the ring.

        Args:
            simulations: a move; None: those of the settings, which are the most.

        Raises:
            ValueError: more simulations than there is room for; the network answers NaN, in a
                logit or a value.
        """
        simulations = self.settings.simulations if simulations is None else simulations
        if not 1 <= simulations <= self.settings.simulations:
            raise ValueError(
                f"simulations must be 1 to {self.settings.simulations}, not {simulations}."
            )
        self.trees.set_budget(simulations)
        rounds = -(-num_moves // len(self.games.number))
        for _ in range(rounds):
            self.begin()
            for num_done in range(simulations):
                self.simulate(num_done)
            self.move()
        return self._look(rounds * len(self.games.number) * (1 + simulations))

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps, in the form of ``SelfPlay.state_dict``."""
        self._read_calm()
        return pack(self.games) | {
            "resignation.lowest": torch.tensor(self.resignation.lowest, dtype=torch.float64),
            "next_number": int(self._next_number),
            "threshold": self.resignation.threshold,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on with the games that ``state_dict`` gave, or that of a ``SelfPlay``. All of them
        get a slot; where there are fewer than ``settings.num_games`` new games begin.

        Raises:
            ValueError: the window has no room for all of them.
        """
        num_known = len(state["games.number"])
        num_slots = max(num_known, self.settings.num_games)
        if num_slots != len(self.games.number):  # else there is memory, and steps recorded on it
            self._take_slots(num_slots)
        unpack(state, self.games, self.ring.game)
        self._next_number.fill_(state["next_number"])
        self._next_games(self._slots >= num_known, self.games.state)
        lowest = state["resignation.lowest"][-MEMORY:]
        self._calm[: len(lowest)].copy_(lowest)
        self._num_calm.fill_(len(lowest))
        self._threshold.fill_(state["threshold"])
        self.resignation.threshold = state["threshold"]

    def _read_calm(self) -> None:
        """Brings what the played-out games say to the host."""
        num_calm = int(self._num_calm)
        order = torch.arange(max(0, num_calm - MEMORY), num_calm) % MEMORY
        self.resignation.lowest.clear()
        self.resignation.lowest.extend(self._calm.cpu()[order].tolist())

    def _look(self, evaluations: int) -> Statistics:
        """The one look at the device."""
        found = dict(zip(COUNTS, self._counts.tolist(), strict=True))
        self._counts.zero_()
        if found.pop("damaged"):
            raise ValueError("The network answers NaN: its weights are damaged or diverged.")
        entropy = float(self._entropy)
        self._entropy.zero_()
        if self.settings.resign_rate:
            self._read_calm()
            self.resignation.calibrate()
            self._threshold.fill_(self.resignation.threshold)
        return Statistics(**found, evaluations=evaluations, entropy=entropy)

    def simulate(self, num_done: int | None = None) -> None:
        """One simulation in every game.

        Args:
            num_done: simulations of this search before; its paths have at most one level more.
                None: not known.
        """
        fitting = (m for m in self._simulations if num_done is not None and m > num_done)
        self._simulations[min(fitting, default=max(self._simulations))]()

    def num_operations(self) -> int:
        """Of a simulation with the longest paths. It makes one; ``play`` begins anew."""
        self._begin()
        with Tape() as tape:
            self._simulate(max(self._simulations))
        return len(tape.operations)

    # The steps.

    @torch.no_grad()
    def _begin(self) -> None:
        """The roots of the next searches, with their noise."""
        games, settings = self.games, self.settings
        states = self._states(games.state)
        place = games.number, games.ply
        legal = self._game.legal_mask(states)
        if self.trees.plan.mixes_noise:
            noise = draws.dirichlet(settings.noise_total, legal, settings.seed, *place)
        else:
            noise = draws.gumbel(legal, settings.seed, *place)
        self.trees.begin(states, *self.evaluate(states, legal), noise.to(self._dtype))

    @torch.no_grad()
    def _simulate(self, levels: int) -> None:
        """One simulation in every game, with paths of at most so many levels."""
        trees = self.trees
        leaves = trees.select()
        trees.update(*self.evaluate(leaves, trees.leaf_is_legal), levels=levels)

    @torch.no_grad()
    def _move(self) -> None:
        """The move of every game; the samples of finished games; new games in their slots."""
        games, settings, trees = self.games, self.settings, self.trees
        plan, root = trees.plan, trees.roots()
        policy, value = plan.tensor_policy(*root), plan.tensor_value(*root)
        action = plan.tensor_best_action(*root)
        if plan.mixes_noise:
            shares = policy.cumsum(1)
            u = draws.uniform(settings.seed, draws.MOVE, games.number, games.ply)[:, None]
            drawn = (shares > u * shares[:, -1:]).int().argmax(1)
            action = torch.where(games.ply < settings.temperature_plies, drawn, action)

        before = self._states(games.state)
        mover = self._game.to_play(before)
        self._record(mover, policy, value)
        state = self._game.play(before, action)
        after = torch.stack(tuple(state), dim=1)
        is_over, outcome = self._game.outcome(state)
        to_play = self._game.to_play(state)
        played_out = (games.number.double() * GOLDEN) % 1 < settings.played_out_share
        resigns = ~is_over & ~played_out & (value < self._threshold)
        if settings.resign_rate:
            outcome = torch.where(resigns, torch.where(to_play == mover, -1, 1), outcome)
            is_over = is_over | resigns
        else:
            resigns = torch.zeros_like(is_over)
        games.ply += 1
        self._give_samples(is_over, outcome, to_play, after)
        self._count(is_over, outcome, to_play, resigns)
        self._observe(is_over & played_out, outcome, to_play)
        self._next_games(is_over, after)

    def _record(self, mover: Tensor, policy: Tensor, value: Tensor) -> None:
        games, slots = self.games, self._slots
        at = slots, games.num_records
        games.past_state[at], games.past_mover[at] = games.state, mover
        games.past_policy[at], games.past_value[at] = policy.float(), value
        games.num_records += 1
        games.entropy += entropies(policy.float())
        lowest = games.lowest[slots, mover]
        games.lowest[slots, mover] = torch.minimum(lowest, value)

    def _give_samples(self, is_over: Tensor, outcome: Tensor, to_play: Tensor, end: Tensor) -> None:
        """Finished games to the ring, the last position first."""
        games, share = self.games, self.settings.root_value_share
        is_record = self._places < games.num_records[:, None]
        same = games.past_mover == to_play[:, None]
        z = torch.where(same, outcome[:, None], -outcome[:, None]).double()
        target = (1 - share) * z + share * games.past_value
        words = games.past_state
        if self.ring.with_ends:
            words = torch.cat([words, end[:, None].expand_as(words)], dim=2)
        columns = (words, games.past_policy, target)
        # In one row, the last record of the first game in front.
        parts = (column.flip(1).flatten(0, 1) for column in columns)
        self.ring.write(Samples(*parts), (is_record & is_over[:, None]).flip(1).flatten())

    def _count(self, is_over: Tensor, outcome: Tensor, to_play: Tensor, resigned: Tensor) -> None:
        games = self.games
        first_won = is_over & (outcome == torch.where(to_play == 0, 1, -1))
        self._entropy += (games.entropy * is_over).sum()
        counted = {
            "games": is_over, "moves": torch.ones_like(is_over), "wins": first_won,
            "draws": is_over & (outcome == 0), "plies": games.ply * is_over, "resigned": resigned,
            "samples": games.num_records * is_over,
        }  # fmt: skip
        zero = torch.zeros_like(self._entropy, dtype=torch.int64)
        sums = [counted[name].sum() if name in counted else zero for name in COUNTS]
        if hasattr(self.evaluate, "damaged"):
            sums[COUNTS.index("damaged")] = self.evaluate.damaged.long()
        self._counts += torch.stack(sums)

    def _observe(self, ended: Tensor, outcome: Tensor, to_play: Tensor) -> None:
        """What games that were played out teach of resigning; as ``Resignation.observe``."""
        result = torch.stack([outcome, -outcome], dim=1)  # for the player to move, the other
        result = result.gather(1, torch.stack([to_play, 1 - to_play], dim=1))  # for both by number
        kept = torch.where(result >= 0, self.games.lowest, torch.inf).amin(1)
        is_new = ended & kept.isfinite()
        order = is_new.cumsum(0)
        is_kept = is_new & (order > order[-1] - MEMORY)
        place = torch.where(is_kept, (self._num_calm + order - 1) % MEMORY, MEMORY)
        self._calm[place] = kept
        self._num_calm += order[-1]
        false = (is_new & (kept < self._threshold)).sum() * (self.settings.resign_rate > 0)
        for name, number in (("played_out", ended.sum()), ("false_resignations", false)):
            self._counts[COUNTS.index(name)] += number

    # Slots and new games.

    def _take_slots(self, num_games: int) -> None:
        """Memory for so many games, and the steps on it."""
        ring, game = self.ring, self.ring.game
        if ring.window < num_games * game.max_plies:
            raise ValueError(
                f"window must be at least {num_games * game.max_plies:,} for {num_games:,} games on"
                f" a device, where all may end at once, not {ring.window:,}."
            )
        self.trees = TensorTrees(
            self._game, num_games, self.settings.simulations, self.settings.plan(),
            noise_fraction=self.settings.noise_fraction, dtype=self._dtype,
        )  # fmt: skip
        self.games = new_games(game, num_games, self.device)
        self._slots = torch.arange(num_games, device=self.device)
        self._places = torch.arange(game.max_plies, device=self.device)
        self.begin = Replayed(self._begin, self._how)
        self.move = Replayed(self._move, self._how)
        # Early paths are short, and the host knows how short: a recording for each size.
        longest = longest_path(game, self.settings.simulations)
        sizes = [2**power for power in range(FEWEST, longest.bit_length())]
        self._simulations = {
            levels: Replayed(self._simulation(levels), self._how) for levels in (*sizes, longest)
        }

    def _simulation(self, levels: int) -> Callable[[], None]:
        """``_simulate`` for paths of at most so many levels."""

        def simulate() -> None:
            self._simulate(levels)

        return fused(simulate) if self._compiled else simulate

    def _next_games(self, is_over: Tensor, going_on: Tensor) -> None:
        """A new game in every slot where one is over; the others go on from these states."""
        games, count = self.games, is_over.cumsum(0)
        number = self._next_number + self.world_size * (count - 1)
        self._next_number += self.world_size * count[-1]
        states, plies = self._openings
        u = draws.uniform(self.settings.seed, draws.START, number)
        which = (u * NUM_OPENINGS).long()
        games.lowest.masked_fill_(is_over[:, None], torch.inf)
        games.entropy.masked_fill_(is_over, 0.0)
        games.state.copy_(torch.where(is_over[:, None], states[which], going_on))
        games.number.copy_(torch.where(is_over, number, games.number))
        games.ply.copy_(torch.where(is_over, plies[which], games.ply))
        games.num_records.copy_(torch.where(is_over, torch.zeros_like(number), games.num_records))

    def _states(self, words: Tensor):
        return self.ring.game.State(*words.unbind(-1))

    def _tensor(self, numbers) -> Tensor:
        return torch.tensor(numbers, dtype=torch.int64, device=self.device)


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
