"""The settings of a training run; comments give the values that the papers used."""

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

# Names of settings in the previous edition, for older run folders and commands.
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
    """A condition on a setting's value, attached to the setting's type."""

    holds: Callable[[Any], bool]
    words: str
    names: Collection[str] = ()  # the words allowed, if there is a list of them


def one_of(names: Collection[str]) -> Constraint:
    """The constraint that a value is one of ``names``."""
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
    """Base class of frozen settings: checks types and constraints, and makes changes by name."""

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
        """Returns a copy with some settings changed; parses strings such as ``"0.5"`` by type.

        Raises:
            ValueError: an unknown name or an invalid value; the message names the setting.
        """
        kinds = {field.name: type(field.default) for field in fields(self)}
        values = {}
        for name, value in changes.items():
            name = OLD_NAMES.get(name, name)
            if name not in kinds:
                raise ValueError(
                    f"There is no setting {name!r}; the settings are {', '.join(kinds)}."
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
# Limits of 64-bit integers, and of optimizer steps in single precision.
_MOST = {int: 2**63, float: 1e30}
_READ = {bool: lambda text: ("False", "True").index(text) == 1}  # int and float parse themselves


@old_arguments(**OLD_NAMES)
@dataclass(frozen=True)
class TrainSettings(Settings):
    """The settings of one training run.

    In the comments "AGZ" is AlphaGo Zero (Silver et al. 2017) and "AZ" AlphaZero (2018). A rank is
    one process, with its own games, replay buffer and part of every batch.

    Raises:
        ValueError: an invalid value; the message names the setting.
    """

    game: str = "connect4"  # a name, or a file and a class in it; see games/named.py
    network: Size = "medium"  # a name in SIZES; AGZ: "paper" and "paper39"
    first_network: SizeOrNone = ""  # a smaller network to start the run with; AGZ, AZ: none
    growth_fraction: PositiveFraction = 0.25  # fraction of the run that uses first_network
    value_norm: bool = True  # keeps the value head's units alive (see ResNet); AGZ: none
    precision: Precision = "fastest"  # float32, bfloat16, or the faster one, timed at the start
    seed: NonNegativeInt = 0  # determines all random numbers

    # Self-play.
    # where the search runs; "fastest": the GPU with --device cuda and numba-cuda, else the CPU
    backend: Backend = "fastest"
    # per rank, in parallel; 0 = chosen for the machine; AZ: 5,000 processes, one game each
    num_games: NonNegativeInt = 256
    simulations: PositiveInt = 64  # per move, at the end of the run; AGZ: 1,600, AZ: 800
    first_simulations: PositiveInt = 24  # at the start, rising linearly; AGZ, AZ: constant
    search: Search = "puct"  # or "gumbel", see search/gumbel.py; AGZ, AZ: puct
    # gumbel: moves considered at the root; Danihelka et al. 2022, Go: 16
    max_considered_actions: PositiveInt = 16
    c_scale: NonNegative = 0.1  # gumbel: factor of sigma; Danihelka et al. 2022, Go: 1.0
    rescale_q: bool = False  # gumbel: rescale a node's Q to [0, 1], as mctx does with c_scale=0.1
    # puct: k of forced playouts, 0 = none, see search/forced.py; KataGo: 2; AGZ, AZ: none
    forced_playout_k: NonNegative = 0.0
    # proven values become targets, and decided games stop (MCTS-Solver); AGZ, AZ: no
    use_solver: bool = False
    # probability that a move is searched fully and trained on; KataGo: 0.25
    full_search_prob: PositiveFraction = 1.0
    # for the other moves, which get no noise; KataGo: 100, and 600 for a full search
    fast_simulations: PositiveInt = 16
    # puct: exploration constant (for c‖θ‖² see l2); AZ: 1.25, growing slowly with the visits
    c: NonNegative = 1.5
    # start each search with the subtree of the last one; AGZ: yes; AZ's pseudocode: no
    reuse_tree: bool = False
    noise_fraction: Fraction = 0.25  # puct: weight of noise in the root's prior; AGZ, AZ: same
    noise_total: Positive = 10.0  # alpha × legal moves; AZ: about 10 (alpha: Go 0.03, chess 0.3)
    # "random" (AGZ): show the network a randomly rotated or mirrored position; turns off the cache
    symmetry: Symmetry = "none"
    # puct: plies in which moves are sampled by visits; later the most visited is played; AGZ: 30
    temperature_plies: NonNegativeInt = 14
    # fraction of games that start with random moves; AGZ, AZ: 0
    random_opening_fraction: Fraction = 0.5
    opening_plies: NonNegativeInt = 12  # at most this many random moves start a game; AGZ, AZ: none
    # weight of the root's Q in the value target; z has the rest; AGZ, AZ: 0
    value_target_mix: Fraction = 0.4
    resign_rate: Fraction = 0.0  # fraction of false resignations allowed; 0 = never; AGZ: 0.05
    # fraction of games that never end early, by resignation or by proof; AGZ: 0.1
    played_out_fraction: Fraction = 0.1
    # per rank, between two training phases; AGZ: 25,000 games in total
    moves_per_iteration: PositiveInt = 4096

    # Training.
    window: PositiveInt = 250_000  # positions in a rank's replay buffer; AGZ: 500,000 games
    first_window: PositiveInt = 4_000  # positions needed to start training; AGZ, AZ: not stated
    batch_size: PositiveInt = 128  # per rank; AGZ: 2,048 in total
    # per rank once the learning rate decays, see constant_lr_fraction; 0 (AGZ, AZ) = unchanged
    final_batch_size: NonNegativeInt = 0
    # fraction of the sample weight for positions that surprised the network; KataGo: 0.5
    surprise_fraction: Fraction = 0.0
    samples_per_position: Positive = 2.0  # how often a position is trained on; AGZ, AZ: not stated
    optimizer: Optimizer = "adam"  # AdamW with weight_decay; or "sgd", with momentum as in AGZ
    learning_rate: Positive = 2e-3  # AGZ: 0.01, reduced twice
    constant_lr_fraction: Fraction = 0.5  # fraction of the run before the rate decays linearly …
    final_lr_fraction: Fraction = 0.03  # … to this fraction of learning_rate
    weight_decay: NonNegative = 0.05  # each step subtracts rate × this × weight; AGZ: l2 instead
    l2: NonNegative = 0.0  # c in c‖θ‖², part of the loss; AGZ: 1e-4; with Adam it kills filters
    # weight of the loss for ownership of each point at the end; KataGo: 1.5; AGZ: none
    ownership_weight: NonNegative = 0.0
    gradient_norm: Positive = 2.0  # gradients with a larger norm are scaled down; AGZ: no limit

    # Networks kept to look at later, not to train from.
    snapshots_per_doubling: NonNegativeInt = 2  # per doubling of the iterations; see snapshots.py

    # Gating.
    # maximum number of games; 0 = no gate, the newest network plays; AGZ: 400, 55% to pass; AZ: 0
    gate_games: NonNegativeInt = 0
    gate_simulations: PositiveInt = 50  # per move of these games; AGZ: 1,600
    gate_every: PositiveInt = 20  # iterations between gates; AGZ: 1,000 training steps

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "game", stored_name(self.game))
        if self.gate_games % 2:
            raise ValueError(
                f"gate_games must be even, not {self.gate_games}: games come in pairs."
            )
        if self.resign_rate and not self.played_out_fraction:
            raise ValueError(
                "resign_rate needs a played_out_fraction above 0: the games played to the end set"
                " the threshold."
            )
        if self.ownership_weight and not self.make_game().has_owners:
            raise ValueError(
                f"ownership_weight must be 0 in {self.game}: that game has no point ownership."
            )
        if self.ownership_weight and self.resign_rate:
            raise ValueError(
                "ownership_weight needs resign_rate=0: a resigned game does not show who owns each"
                " point."
            )
        if self.ownership_weight and self.use_solver and self.played_out_fraction < 1:
            raise ValueError(
                "ownership_weight and use_solver need played_out_fraction=1: a game that stops when"
                " it is decided does not show who owns each point."
            )
        longest = self.make_game().max_plies
        if self.opening_plies >= longest:
            raise ValueError(
                f"opening_plies must be below {longest}, the length of the longest game,"
                f" not {self.opening_plies}."
            )
        if self.forced_playout_k and self.search != "puct":
            raise ValueError(
                "forced_playout_k needs search=puct: Gumbel's rule itself chooses the moves to try."
            )
        sizes = list(SIZES)  # the cheapest first
        smaller = sizes[: sizes.index(self.network)]
        if self.first_network and self.first_network not in smaller:
            raise ValueError(
                f"first_network must be a smaller size than network ({self.network}), not"
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
        """Returns the tree policy of the searches in self-play."""
        if self.search == "gumbel":
            return gumbel(self.max_considered_actions, c_scale=self.c_scale, rescale=self.rescale_q)
        return (
            forced_puct(self.c, k=self.forced_playout_k) if self.forced_playout_k else puct(self.c)
        )

    def batch_size_at(self, spent: float) -> int:
        """Returns a rank's batch size after ``spent``, a fraction of the run's budget."""
        is_late = self.final_batch_size and spent > self.constant_lr_fraction
        return self.final_batch_size if is_late else self.batch_size

    def heads(self) -> dict[str, bool]:
        """Returns the arguments of ``ResNet`` that are not part of its size."""
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
    """Reads a run's settings from its checkpoint. Features newer than the run stay off.

    Raises:
        ValueError: an unknown name or an invalid value; the message names the setting.
    """
    found = {"weight_decay": 0.0, "value_norm": False} | found
    for name in ("engine", "trees"):  # obsolete choices of where the search runs
        found.pop(name, None)
    return TrainSettings().with_changes(found)


def preset(game: str, name: str) -> TrainSettings:
    """Returns the preset ``name`` for ``game``.

    The spelling and the options of a game, as in ``go:5:komi=0``, do not change its preset. A game
    without presets of its own uses those of Connect Four, with temperature_plies and opening_plies
    limited to a third of its longest game.

    Raises:
        ValueError: there is no such game or preset.
    """
    made, names = make_game(game), sorted({name for _, name in PRESETS})
    if not isinstance(name, str) or name not in names:
        raise ValueError(
            f"There is no preset {name!r:.80}; the presets are {', '.join(names)}."
            + did_you_mean(str(name), names)
        )
    if known := PRESETS.get((plain_name(made), name)):
        return known if known.game == game else replace(known, game=game)
    third = made.max_plies // 3
    return replace(
        PRESETS["connect4", name],
        game=game,
        opening_plies=min(_CONNECT4.opening_plies, third),
        temperature_plies=min(_CONNECT4.temperature_plies, third),
    )
