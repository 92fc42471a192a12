"""Self-play as GPU kernels, with one thread per game; see ``search/engine/kernels.py``."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from azlearn.learning.recorded import Recorded
from azlearn.learning.replay import ReplayBuffer, Samples, zeros_on
from azlearn.learning.self_play import CACHE_BITS, MOVES, SelfPlay, Statistics
from azlearn.learning.settings import TrainSettings
from azlearn.search.engine.columns import (
    COUNTS,
    Cache,
    Columns,
    Games,
    Ring,
    Trees,
    cache_columns,
    game_columns,
    new_table,
    tree_columns,
)
from azlearn.search.engine.kernels import THREADS, kernels
from azlearn.search.engine.play import NOBODY
from azlearn.search.evaluators import answers_alike

MOST_DESCENTS = 8  # per game and launch; a game without a leaf to evaluate continues in the next
STEPS = 32  # between two reads from the device
_GAMES = COUNTS.index("games")


class KernelSelfPlay(SelfPlay):
    """``SelfPlay`` on a GPU, with the same games, moves and samples.

    One step advances every game until it needs an evaluation, evaluates all these positions with
    the network, and passes the results back to the games. Its memory stays in place, so the step is
    recorded (see ``recorded``); the host reads from the device once every ``STEPS`` steps.

    Args:
        replay: on ``device``. Its window must have room for all games in progress.
        device: a GPU, or the CPU in numba's CUDA simulator.

    Raises:
        ValueError: the window is too small.
    """

    def __init__(
        self,
        settings: TrainSettings,
        rank: int = 0,
        world_size: int = 1,
        replay: ReplayBuffer | None = None,
        *,
        device: str | torch.device = "cuda",
    ) -> None:
        self.device = torch.device(device)
        if self.device.type == "cuda":
            from numba import cuda

            cuda.select_device(torch.cuda.current_device())  # numba would pick the first GPU
        tree_policy = settings.tree_policy()
        flags = settings.use_solver, settings.reuse_tree, settings.ownership_weight > 0
        self._kernels = kernels(settings.make_game().rules, type(tree_policy), *flags)
        if replay is None:
            replay = ReplayBuffer(settings.make_game(), settings.window, device, flags[-1])
        super().__init__(settings, rank, world_size, replay)

    def play(
        self,
        evaluate,
        num_moves: int,
        simulations: int | None = None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> tuple[Samples, Statistics]:
        """Plays as ``SelfPlay.play`` does, but stops only after a multiple of ``STEPS`` steps.

        Args:
            evaluate: a function such as a ``DeviceEvaluator``, from a state of int64 [B] and legal
                moves, bool [B, num_actions], to ``(prior, value)``, [B, num_actions] and [B]. All
                are on the device, and nothing is read back. Results for games that need none are
                ignored. If it has an attribute ``damaged``, that attribute is checked.

        Raises:
            ValueError: more simulations than the settings allow, or the network returned NaN.
        """
        _, games, cache = self._tensors
        self._dial.copy_(torch.from_numpy(self._dials(simulations)))
        for column in (cache.filled, games.counts, games.entropy, self._num_asked):
            column.zero_()
        num_added, num_ended = self.replay.num_added, torch.zeros(len(games.number)).long()
        self._totals.copy_(torch.tensor([num_added, self.next_number]))
        self._launch("begin", self.trees, self.games, self._dial_view, self._seed_view)
        if self._evaluate is not evaluate:
            self._evaluate, self._step = (
                evaluate,
                Recorded(partial(self._run, evaluate), self.device),
            )
        moves = 0
        while moves < num_moves:
            progress(moves / num_moves)
            for _ in range(STEPS):
                self._step()
            if getattr(evaluate, "damaged", False):
                raise ValueError(
                    "The network returned NaN: its weights are corrupted, or training diverged."
                )
            counts, calm = games.counts.cpu(), games.calm.cpu()
            calm = calm[(counts[:, _GAMES] > num_ended) & (calm < NOBODY)]
            self.resignation.lowest.extend(calm.tolist())
            num_ended, moves = counts[:, _GAMES], int(counts[:, MOVES].sum())
        self.replay.num_added, self.next_number = self._totals.tolist()
        return self._found(games.counts, games.entropy, int(self._num_asked), num_added)

    @torch.no_grad()
    def _run(self, evaluate) -> None:
        (trees, games, _), views = self._tensors, (self.trees, self._cache, self.games)
        run = self._dial_view, self._seed_view
        self._launch("advance", *views, self._numbers_view, *run, MOST_DESCENTS)
        torch.cumsum(games.num_rows * games.is_over, 0, out=self._row_ends)
        torch.cumsum(games.is_over, 0, dtype=torch.int64, out=self._game_ends)
        ends = self._row_ends_view, self._game_ends_view
        ring = self._ring_view
        tables = self.trees, self.games
        self._launch("collect", *tables, ring, *run, self._totals_view, *ends, self.world_size)
        self._totals += torch.stack([self._row_ends[-1], self._game_ends[-1] * self.world_size])
        self._num_asked += trees.waiting.sum()
        leaves = self.game.State(*trees.leaf.unbind(1))
        prior, value = evaluate(leaves, trees.leaf_is_legal)
        self._prior.copy_(prior)
        self._value.copy_(value)
        answers = self._prior_view, self._value_view
        self._launch("answer", self.trees, self._cache, *answers, self._dial_view)
        self._launch("keep", self.trees, self._cache, *answers)

    def legal_mask(self, states) -> Tensor:
        """Like ``SelfPlay.legal_mask``, but in a kernel, faster on a GPU than tensor code."""
        words = torch.stack(tuple(states), dim=1)
        out = torch.empty(len(words), self.game.num_actions, dtype=torch.bool, device=self.device)
        self._launch("write_legal", *map(self._view, (words, out)), num_threads=len(words))
        return out

    def _launch(self, name: str, *arguments, num_threads: int | None = None) -> None:
        stream = 0
        if self.device.type == "cuda":
            from numba import cuda

            stream = cuda.external_stream(torch.cuda.current_stream(self.device).cuda_stream)
        blocks = -(-(num_threads or len(self._row_ends)) // THREADS)
        getattr(self._kernels, name)[blocks, THREADS, stream](*arguments)

    def _view(self, tensor: Tensor):
        """Returns a tensor in the form that kernels take."""
        if self.device.type != "cuda":
            return tensor.numpy()
        from numba import cuda

        return cuda.as_cuda_array(tensor)

    def _table(self, kind, columns: Columns, num_rows: int):
        """Returns a table of tensors, and the same table in the form that kernels take."""
        tensors = new_table(kind, columns, num_rows, zeros_on(self.device))
        return tensors, kind(*map(self._view, tensors))

    def _take_slots(self, num_games: int, num_known: int) -> None:
        settings, game, there = self.settings, self.game, {"device": self.device}
        if settings.window < num_games * game.max_plies:
            raise ValueError(
                f"window must be at least {num_games * game.max_plies:,} for {num_games:,} games on"
                f" a device, not {settings.window:,}: all of them may end at once."
            )
        columns = tree_columns(game, settings.simulations, settings.use_solver)
        trees, self.trees = self._table(Trees, columns, num_games)
        games, self.games = self._table(Games, game_columns(game), num_games)
        slots = (1 << CACHE_BITS) if answers_alike(settings) else 0
        cache, self._cache = self._table(Cache, cache_columns(game), slots)
        self._tensors = trees, games, cache
        self._dial = torch.from_numpy(self._dials()).to(self.device)
        self._totals = torch.zeros(2, dtype=torch.int64, **there)
        self._num_asked = torch.zeros((), dtype=torch.int64, **there)
        self._row_ends, self._game_ends = torch.zeros(2, num_games, dtype=torch.int64, **there)
        self._prior = torch.zeros(num_games, game.num_actions, **there)
        self._value = torch.zeros(num_games, **there)
        self._seed_view = self._view(torch.from_numpy(self._seed).to(self.device))
        self._numbers_view = self._view(torch.from_numpy(self._numbers).to(self.device))
        self._ring_view = Ring(*map(self._view, self.replay.stored()))
        for name in ("dial", "totals", "row_ends", "game_ends", "prior", "value"):
            setattr(self, f"_{name}_view", self._view(getattr(self, f"_{name}")))
        self._evaluate = self._step = None
        self._open_games(num_known)

    def _open_games(self, num_known: int) -> None:
        where = self.trees, self.games, self._dial_view, self._seed_view
        self._launch("open_games", *where, num_known, self.next_number, self.world_size)
        self.next_number += (len(self._row_ends) - num_known) * self.world_size

    def _columns(self) -> Games:
        return Games(*(column.cpu() for column in self._tensors[1]))

    def _take(self, columns: Games) -> None:
        for mine, new in zip(self._tensors[1], columns, strict=True):
            mine.copy_(new)
