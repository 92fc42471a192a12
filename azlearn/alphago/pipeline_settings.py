"""The settings of the AlphaGo pipeline, with the paper's values in comments."""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from azlearn.alphago.expert_games import EXPERTS, ExpertSettings, settings_in
from azlearn.alphago.fitting import FitSettings
from azlearn.alphago.pattern_sets import check_game
from azlearn.alphago.policy_gradient import GradientSettings
from azlearn.games import Go
from azlearn.games.named import make_game, shipped_name, stored_name
from azlearn.games.rules_game import RulesGame
from azlearn.learning.settings import (
    Constraint,
    NonNegative,
    NonNegativeInt,
    Pairs,
    Positive,
    PositiveInt,
    Settings,
    Size,
    one_of,
)
from azlearn.spelling import did_you_mean

SETTINGS_FILE = "settings.json"


@dataclass(frozen=True)
class PipelineSettings(Settings):
    """The settings of one pipeline run. "AG" is AlphaGo (Silver et al. 2016).

    Raises:
        ValueError: a value is invalid; the message names the setting.
    """

    game: str = "connect4"  # or Go up to 7x7, such as "go7"
    seed: int = 0  # of all random choices
    network: Size = "small"  # a name in SIZES; AG: 13 layers of 192 filters (policy), 15 (value)
    experts: Annotated[str, one_of(EXPERTS)] = "uct"  # or "gnugo", in Go; AG: people
    levels: str = "400,1200,4000"  # rollouts or GNU Go levels of experts, sampled for each player
    num_games: int = 20_000  # expert games; AG: 160,000, with 29.4 million positions
    opening_plies: NonNegativeInt = 4  # at most this many random moves start a game; AG: none
    records: str = ""  # a folder of Go records (SGF), used instead of expert games
    held_out_share: Annotated[float, Constraint(lambda share: 0 < share < 1, "between 0 and 1")] = (
        0.1  # fraction of the games used for testing; AG: 1 of 29.4 million positions
    )
    supervised_epochs: float = 2.0
    rollout_epochs: PositiveInt = 10
    leak_games: PositiveInt = 2_000  # games whose results the stage "leak" memorizes
    gradient_steps: int = 500  # steps of 128 games each; AG: 10,000
    pool_every: int = 25  # steps; AG: 500
    gradient_rate: float = 0.01
    value_games: PositiveInt = 60_000  # AG: 30 million
    value_epochs: float = 8.0

    # Measurements.
    policy_games: Pairs = 1_000  # between two policies
    match_games: Pairs = 40  # games per pair of players in a tournament
    zero_games: Pairs = 200  # games between AlphaGo and AlphaGo Zero
    simulations: PositiveInt = 100  # per move
    milliseconds: Positive = 30.0  # per move, at equal time; AG: 5,000
    c: NonNegative = 1.5  # the c of PUCT, also for AlphaGo Zero; AG: 5
    zero: str = ""  # a network in the style of AlphaGo Zero; "": the one shipped for this game

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "game", stored_name(self.game))
        check_game(game := self.make_game())
        for name, word in (("experts", self.experts == "gnugo"), ("records", self.records)):
            if word and not isinstance(game, Go):
                raise ValueError(
                    f"{name} {getattr(self, name)!r} can only be used in Go, not in {self.game}."
                )
        # Each part checks its own settings; the messages use that part's names for them.
        self.expert_games()
        self.fit(self.supervised_epochs)
        self.fit(self.value_epochs)
        self.gradient(pool=True)

    def expert_games(self) -> ExpertSettings:
        """The settings of the expert games.

        Raises:
            ValueError: ``levels`` is not a list of whole numbers.
        """
        try:
            levels = tuple(map(int, self.levels.split(",")))
        except ValueError:
            raise ValueError(
                f"levels must be whole numbers, as in 400,1200,4000, not {self.levels!r}."
            ) from None
        return ExpertSettings(
            game=self.game,
            experts=self.experts,
            levels=levels,
            num_games=self.num_games,
            opening_plies=self.opening_plies,
            seed=self.seed,
        )

    def make_game(self) -> RulesGame:
        """Makes the game with the name ``game``."""
        return make_game(self.game)

    def zero_network(self) -> str:
        """The name of AlphaGo Zero's network: ``zero``, or the game's if that is empty."""
        return self.zero or shipped_name(self.make_game()) or self.game

    def fit(self, epochs: float) -> FitSettings:
        """The settings of supervised training for this many epochs."""
        return FitSettings(epochs=epochs)

    def gradient(self, pool: bool) -> GradientSettings:
        """The settings of policy gradient training, with or without a pool of opponents."""
        return GradientSettings(
            steps=self.gradient_steps,
            pool=pool,
            pool_every=self.pool_every,
            learning_rate=self.gradient_rate,
        )

    def rng(self, *numbers: int) -> np.random.Generator:
        """Returns a generator for one stage, seeded by the run's seed and ``numbers``."""
        return np.random.default_rng([self.seed, *numbers])


PRESETS = {
    "cpu": PipelineSettings(),
    "small": PipelineSettings(  # every stage takes seconds, to test that all of them work
        network="tiny", levels="20,60", num_games=150, rollout_epochs=1, leak_games=40,
        gradient_steps=2, value_games=80, value_epochs=1, policy_games=10, match_games=2,
        zero_games=2, simulations=4, milliseconds=3.0,
    ),
}  # fmt: skip
# Settings that differ in Go, where games are longer and experts slower: 7x7 takes over an hour.
_GO = {
    "cpu": {
        "experts": "gnugo", "levels": "1,2,3,4,5,6", "num_games": 3_000, "opening_plies": 6,
        "supervised_epochs": 8.0, "leak_games": 500, "gradient_steps": 200, "value_games": 30_000,
        "match_games": 30,
    },
    "small": {
        "experts": "gnugo", "levels": "1", "num_games": 60, "opening_plies": 6, "value_games": 250,
    },
}  # fmt: skip
# Used if GNU Go is not installed.
UCT_EXPERTS = {name: getattr(PRESETS["cpu"], name) for name in ("experts", "levels")}


def preset(name: str, game: str = "connect4") -> PipelineSettings:
    """Returns the settings of the preset ``name`` for ``game``.

    Raises:
        ValueError: there is no such preset or game, or the pipeline does not support the game.
    """
    if name not in PRESETS:
        raise ValueError(
            f"Unknown preset {name!r}. The presets are {', '.join(PRESETS)}."
            + did_you_mean(name, PRESETS)
        )
    changes = _GO[name] if isinstance(make_game(game), Go) else {}
    return replace(PRESETS[name], game=game, **changes)


# Settings that are missing in runs made before the pipeline supported Go.
_BEFORE_GO = {
    name: getattr(PRESETS["cpu"], name)
    for name in ("game", "experts", "levels", "opening_plies", "records", "zero")
}


def read_settings(folder: Path) -> PipelineSettings:
    """Reads the settings of the run in ``folder``.

    Raises:
        FileNotFoundError: the folder contains no run.
        CorruptFileError: the file is truncated or from another program.
    """
    path = folder / SETTINGS_FILE
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} contains no AlphaGo run. Start one with azlearn alphago --out"
            f" {shlex.quote(str(folder))}."
        )
    return settings_in(path, PipelineSettings, _BEFORE_GO)
