"""Everything that a training run can be told, with the values of the papers beside it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from azlearn.games.named import make_game, plain_name, stored_name
from azlearn.games.rules_game import RulesGame
from azlearn.learning.network import SIZES
from azlearn.learning.optimizers import OPTIMIZERS
from azlearn.old_names import old_arguments
from azlearn.search import forced_puct, gumbel, puct
from azlearn.search.tree_policy import TreePolicy
from azlearn.spelling import did_you_mean

PRECISIONS = ("fastest", "float32", "bfloat16")
BACKENDS = ("fastest", "cpu", "cuda")
SEARCHES = ("puct", "gumbel")
SYMMETRIES = ("none", "random")

_S = TypeVar("_S", bound="Settings")

# What settings were called in the edition before, for run folders and commands of then.
OLD_NAMES = {
    "considered": "max_considered_actions", "constant_share": "constant_lr_fraction",
    "final_rate": "final_lr_fraction", "forced_k": "forced_playout_k",
    "full_search_share": "full_search_prob", "growth_share": "growth_fraction",
    "keep_tree": "reuse_tree", "kept_networks": "snapshots_per_doubling",
    "opening_share": "random_opening_fraction", "owner_weight": "ownership_weight",
    "played_out_share": "played_out_fraction", "proves": "use_solver",
    "reuse": "samples_per_position", "root_value_share": "value_target_mix",
    "surprise_share": "surprise_fraction",
}  # fmt: skip


class Constraint(NamedTuple):
    """What a value of a setting must be; it stands beside the setting's type."""

    holds: Callable[[Any], bool]
    words: str
    names: Collection[str] = ()  # that a word may be


def one_of(names: Collection[str]) -> Constraint:
    """A word that stands in a list."""
    return Constraint(lambda value: value in names, f"one of {', '.join(names)}", names)


PositiveInt = Annotated[int, Constraint(lambda value: value >= 1, "at least 1")]
NonNegativeInt = Annotated[int, Constraint(lambda value: value >= 0, "0 or more")]
Fraction = Annotated[float, Constraint(lambda value: 0 <= value <= 1, "in [0, 1]")]
PositiveFraction = Annotated[float, Constraint(lambda value: 0 < value <= 1, "above 0, at most 1")]
Positive = Annotated[float, Constraint(lambda value: value > 0, "above 0")]
Pairs = Annotated[int, Constraint(lambda value: value >= 2 and value % 2 == 0, "even, 2 or more")]
NonNegative = Annotated[float, Constraint(lambda value: value >= 0, "0 or more")]
Size = Annotated[str, one_of(SIZES)]
SizeOrNone = Annotated[
    str,
    Constraint(lambda value: not value or value in SIZES, f"empty or one of {', '.join(SIZES)}"),
]
Precision = Annotated[str, one_of(PRECISIONS)]
Backend = Annotated[str, one_of(BACKENDS)]
Search = Annotated[str, one_of(SEARCHES)]
Symmetry = Annotated[str, one_of(SYMMETRIES)]
Optimizer = Annotated[str, one_of(OPTIMIZERS)]


class Settings:
    """What frozen dataclasses of settings share: types and limits that are checked, and changes by
    name."""

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self), include_extras=True)
        for field in fields(self):
            value, kind = getattr(self, field.name), type(field.default)
            if kind is float and type(value) is int:
                object.__setattr__(self, field.name, value := float(value))
            if type(value) is not kind or (kind is float and not isfinite(value)):
                raise ValueError(f"{field.name} must be {_A[kind]}, not {value!r}.")
            if kind in _MOST and not abs(value) < _MOST[kind]:
                most = "2**63" if kind is int else "1e30"
                raise ValueError(f"{field.name} must be below {most}, not {value!r:.80}.")
            for limit in getattr(hints[field.name], "__metadata__", ()):
                if not limit.holds(value):
                    raise ValueError(
                        f"{field.name} must be {limit.words}, not {value!r}."
                        + did_you_mean(str(value), limit.names)
                    )

    def with_changes(self: _S, changes: dict[str, Any]) -> _S:
        """These settings with some replaced, texts such as ``"0.5"`` read as the field's type.

        Raises:
            ValueError: an unknown name or an impossible value, by name.
        """
        kinds = {field.name: type(field.default) for field in fields(self)}
        values = {}
        for name, value in changes.items():
            name = OLD_NAMES.get(name, name)
            if name not in kinds:
                raise ValueError(
                    f"There is no setting {name!r}; there are {', '.join(kinds)}."
                    + did_you_mean(name, kinds)
                )
            if isinstance(value, str) and kinds[name] is not str:
                try:
                    value = _READ.get(kinds[name], kinds[name])(value)
                except ValueError:
                    raise ValueError(f"{name} must be {_A[kinds[name]]}, not {value!r}.") from None
            values[name] = value
        return replace(self, **values)


_A = {int: "a whole number", float: "a finite number", str: "a word", bool: "True or False"}
# What words of 64 bits count with, and steps of an optimizer in single precision.
_MOST = {int: 2**63, float: 1e30}
_READ = {bool: lambda text: ("False", "True").index(text) == 1}  # others by their own type


@old_arguments(**OLD_NAMES)
@dataclass(frozen=True)
class TrainSettings(Settings):
    """One training run. "AGZ" is AlphaGo Zero (Silver et al. 2017), "AZ" AlphaZero (2018).

    A rank is one process, with its own games, replay buffer and share of every batch.

    Raises:
        ValueError: an impossible value; names the setting.
    """

    game: str = "connect4"  # a name, or a file and a class in it; see games/named.py
    network: Size = "medium"  # a name in SIZES; AGZ: "paper" and "paper39"
    first_network: SizeOrNone = ""  # plays first, and is followed by a larger one; AGZ, AZ: none
    growth_fraction: PositiveFraction = 0.25  # of the run: how long the first network plays
    value_norm: bool = True  # keeps the value head's units alive (see ResNet); AGZ: none
    precision: Precision = "fastest"  # or float32, bfloat16; measured at the start, and kept
    seed: NonNegativeInt = 0  # of every random draw

    # Self-play.
    backend: Backend = "fastest"  # where trees grow: on a GPU, if there is one and numba-cuda
    # a rank plays at once; 0 = as many as fit; AZ: 5,000 processes, 1 each
    num_games: NonNegativeInt = 256
    simulations: PositiveInt = 64  # a move, at the end of the run; AGZ: 1,600, AZ: 800
    first_simulations: PositiveInt = 24  # at its start, then up in a line; AGZ, AZ: as at the end
    search: Search = "puct"  # or "gumbel", see search/gumbel.py; AGZ, AZ: puct
    # moves at a root, of gumbel; Danihelka et al. 2022, Go: 16
    max_considered_actions: PositiveInt = 16
    c_scale: NonNegative = 1.0  # of gumbel's sigma; Danihelka et al. 2022, Go: 1.0
    # of PUCT's root, see search/forced.py; KataGo: 2; AGZ, AZ: none
    forced_playout_k: NonNegative = 0.0
    use_solver: bool = False  # what is decided is known, learnt and not played on; AGZ, AZ: none
    # of the moves are searched fully and learnt; KataGo: 0.25 …
    full_search_prob: PositiveFraction = 1.0
    # … and the others so much, without noise; KataGo: 100 of 600
    fast_simulations: PositiveInt = 16
    c: NonNegative = 1.5  # of PUCT, not of c‖θ‖², see l2; AZ: 1.25, growing slowly with the visits
    # a search begins with what the last one knew; AGZ: so; AZ's code: anew
    reuse_tree: bool = False
    noise_fraction: Fraction = 0.25  # of PUCT's root, gumbel has its own noise; AGZ, AZ: the same
    noise_total: Positive = 10.0  # alpha times legal moves; AZ: about 10, 0.03 in Go, 0.3 in chess
    symmetry: Symmetry = "none"  # "random" (AGZ) turns each position asked about, and caches none
    temperature_plies: NonNegativeInt = 14  # PUCT's moves are drawn, then the most visited; AGZ: 30
    # of the games start from random moves; AGZ, AZ: none do
    random_opening_fraction: Fraction = 0.5
    opening_plies: NonNegativeInt = 12  # at most so many; AGZ, AZ: none
    # of the value target is the root's Q, the rest is z; AGZ, AZ: 0
    value_target_mix: Fraction = 0.4
    resign_rate: Fraction = 0.0  # false resignations allowed, 0 = nobody resigns; AGZ: 0.05
    # of the games are neither resigned nor cut by proofs; AGZ: 0.1
    played_out_fraction: Fraction = 0.1
    # a rank, between two trainings; AGZ: 25,000 games in all
    moves_per_iteration: PositiveInt = 4096

    # Learning.
    window: PositiveInt = 250_000  # positions a rank keeps; AGZ: those of 500,000 games
    first_window: PositiveInt = 4_000  # positions before training starts; AGZ, AZ: not said
    batch_size: PositiveInt = 128  # a rank; AGZ: 2,048 in all
    # once the rate falls, see constant_lr_fraction; 0, AGZ, AZ: no other
    final_batch_size: NonNegativeInt = 0
    # of the weight goes to what surprised the network; KataGo: 0.5
    surprise_fraction: Fraction = 0.0
    samples_per_position: Positive = 2.0  # times a position is trained on; AGZ, AZ: not said
    optimizer: Optimizer = "adam"  # AdamW with weight_decay; or "sgd"; AGZ: with momentum
    learning_rate: Positive = 2e-3  # AGZ: 0.01, stepped down twice
    constant_lr_fraction: Fraction = 0.5  # of the run at that rate, then down in a line …
    final_lr_fraction: Fraction = 0.03  # … to this share of it
    weight_decay: NonNegative = 0.05  # a step takes this times the rate off each weight; AGZ: in l2
    l2: NonNegative = 0.0  # c in c‖θ‖², part of the loss; AGZ: 1e-4; with Adam it kills filters
    ownership_weight: NonNegative = 0.0  # of who owns each point at the end; KataGo: 1.5; AGZ: none
    gradient_norm: Positive = 2.0  # larger gradients are scaled down to it; AGZ: no such limit

    # What is kept to look at later, not to learn from.
    # earlier ones, in each doubling of the iterations, see snapshots.py
    snapshots_per_doubling: NonNegativeInt = 2

    # Gating.
    # at most, 0 = the newest network plays; AGZ: 400, of 55 % to win; AZ: 0
    gate_games: NonNegativeInt = 0
    gate_simulations: PositiveInt = 50  # a move of these games; AGZ: 1,600
    gate_every: PositiveInt = 20  # iterations; AGZ: 1,000 steps of training

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "game", stored_name(self.game))
        if self.gate_games % 2:
            raise ValueError(
                f"gate_games must be even, not {self.gate_games}: games come in pairs."
            )
        if self.resign_rate and not self.played_out_fraction:
            raise ValueError(
                "resign_rate needs a played_out_fraction above 0: games played out set the"
                " threshold."
            )
        if self.ownership_weight and not self.make_game().has_owners:
            raise ValueError(
                f"ownership_weight must be 0 in {self.game}: nobody owns points at its end."
            )
        if self.ownership_weight and self.resign_rate:
            raise ValueError(
                "ownership_weight needs resign_rate=0: a game given up does not show who owns what."
            )
        if self.ownership_weight and self.use_solver and self.played_out_fraction < 1:
            raise ValueError(
                "ownership_weight and use_solver need played_out_fraction=1: a game that ends when"
                " it is decided does not show who owns what."
            )
        longest = self.make_game().max_plies
        if self.opening_plies >= longest:
            raise ValueError(
                f"opening_plies must be below {longest}, the plies of the longest game,"
                f" not {self.opening_plies}."
            )
        if self.forced_playout_k and self.search != "puct":
            raise ValueError(
                "forced_playout_k needs search=puct: Gumbel's rule says which moves are tried."
            )
        sizes = list(SIZES)  # the cheapest first
        smaller = sizes[: sizes.index(self.network)]
        if self.first_network and self.first_network not in smaller:
            raise ValueError(
                f"first_network must be a smaller size than network, {self.network}, not"
                f" {self.first_network}."
            )
        pairs = [("first_simulations", "simulations"), ("first_window", "window")]
        if self.full_search_prob < 1:
            pairs.append(("fast_simulations", "first_simulations"))
        for less, more in pairs:
            small, large = getattr(self, less), getattr(self, more)
            if small > large:
                raise ValueError(f"{less} ({small}) must not exceed {more} ({large}).")

    def make_game(self) -> RulesGame:
        """The game that ``game`` names."""
        return make_game(self.game)

    def tree_policy(self) -> TreePolicy:
        """Of the searches of self-play."""
        if self.search == "gumbel":
            return gumbel(self.max_considered_actions, c_scale=self.c_scale)
        return (
            forced_puct(self.c, k=self.forced_playout_k) if self.forced_playout_k else puct(self.c)
        )

    def batch_size_at(self, spent: float) -> int:
        """Of a rank, when this share of the run's budget is used up."""
        is_late = self.final_batch_size and spent > self.constant_lr_fraction
        return self.final_batch_size if is_late else self.batch_size

    def heads(self) -> dict[str, bool]:
        """Of the network, beside its size: arguments of ``ResNet``."""
        return {"value_norm": self.value_norm, "owners": self.ownership_weight > 0}


_CONNECT4 = TrainSettings()
_CONNECT4_GPU = replace(
    _CONNECT4, num_games=0, simulations=128, first_simulations=32,
    moves_per_iteration=32_768, window=2_000_000, first_window=32_000, batch_size=1024,
)  # fmt: skip
# The settings for a game and a kind of machine, ``"cpu"`` or ``"gpu"``; see ``preset``.
PRESETS = {
    ("connect4", "cpu"): _CONNECT4,
    ("connect4", "gpu"): _CONNECT4_GPU,
    ("tictactoe", "cpu"): replace(
        _CONNECT4, game="tictactoe", network="tiny", num_games=64, simulations=25,
        first_simulations=10, temperature_plies=4, opening_plies=4, moves_per_iteration=1024,
        window=20_000, first_window=1_000,
    ),
    ("go5", "cpu"): replace(_CONNECT4, game="go5", network="small", ownership_weight=1.0),
    ("go7", "cpu"): replace(_CONNECT4, game="go7", network="small", ownership_weight=1.0),
    ("go9", "gpu"): replace(
        _CONNECT4_GPU, game="go9", ownership_weight=1.0, symmetry="random", temperature_plies=30,
    ),
}  # fmt: skip


def read_settings(found: dict[str, Any]) -> TrainSettings:
    """The settings of a run from its checkpoint; what an older one did not know, it does without.

    Raises:
        ValueError: an unknown name or an impossible value, by name.
    """
    found = {"weight_decay": 0.0, "value_norm": False} | found
    for name in ("engine", "trees"):  # where they grew once: now the machine decides
        found.pop(name, None)
    return TrainSettings().with_changes(found)


def preset(game: str, name: str) -> TrainSettings:
    """The settings that ``name`` stands for in ``game``.

    What a game is told beside its size, as in ``go5:komi=0``, changes no preset. A game without
    presets of its own takes those of Connect Four, with what counts plies brought down to its
    length.

    Raises:
        ValueError: there is no such game or preset.
    """
    longest, names = make_game(game).max_plies, sorted({name for _, name in PRESETS})
    if not isinstance(name, str) or name not in names:
        raise ValueError(
            f"There is no preset {name!r:.80}; there are: {', '.join(names)}."
            + did_you_mean(str(name), names)
        )
    if known := PRESETS.get((plain_name(game), name)):
        return known if known.game == game else replace(known, game=game)
    third = longest // 3
    return replace(
        PRESETS["connect4", name],
        game=game,
        opening_plies=min(_CONNECT4.opening_plies, third),
        temperature_plies=min(_CONNECT4.temperature_plies, third),
    )
