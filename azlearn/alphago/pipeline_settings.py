"""Everything that a run of AlphaGo's pipeline can be told, with the paper's values beside it."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from azlearn.alphago.expert_games import ExpertSettings
from azlearn.alphago.fitting import FitSettings
from azlearn.alphago.policy_gradient import GradientSettings
from azlearn.foreign_json import DamagedFile, read_json
from azlearn.learning.settings import (
    Count,
    Limit,
    NotNegative,
    Pairs,
    Positive,
    Settings,
    Size,
)

SETTINGS_FILE = "settings.json"


@dataclass(frozen=True)
class PipelineSettings(Settings):
    """One run of the pipeline. "AG" is AlphaGo (Silver et al. 2016).

    Raises:
        ValueError: an impossible value; names the setting.
    """

    seed: int = 0  # of every random draw
    network: Size = "small"  # a name in SIZES; AG: 13 layers of 192 filters (policy), 14 (value)
    num_games: int = 20_000  # of experts; AG: 160,000, of 29.4 million positions
    held_out_share: Annotated[float, Limit(lambda share: 0 < share < 1, "between 0 and 1")] = (
        0.1  # of them, to measure by; AG: 1 of 29.4 million positions
    )
    supervised_epochs: float = 2.0
    rollout_epochs: Count = 10
    leak_games: Count = 2_000  # to learn results by heart from
    gradient_steps: int = 500  # of 128 games; AG: 10,000
    pool_every: int = 25  # steps; AG: 500
    gradient_rate: float = 0.01
    value_games: Count = 60_000  # AG: 30 million
    value_epochs: float = 8.0

    # Measuring.
    policy_games: Pairs = 1_000  # between two policies
    match_games: Pairs = 40  # of every pair in a tournament
    zero_games: Pairs = 200  # of AlphaGo against AlphaGo Zero
    simulations: Count = 100  # a move
    milliseconds: Positive = 30.0  # a move, at equal time; AG: 5,000
    c: NotNegative = 1.5  # of PUCT, as AlphaGo Zero's here; AG: 5

    def __post_init__(self) -> None:
        super().__post_init__()
        # Each part refuses what it cannot do, by the name that it has there.
        self.experts()
        self.fit(self.supervised_epochs)
        self.fit(self.value_epochs)
        self.gradient(pool=True)

    def experts(self) -> ExpertSettings:
        return ExpertSettings(num_games=self.num_games, seed=self.seed)

    def fit(self, epochs: float) -> FitSettings:
        return FitSettings(epochs=epochs)

    def gradient(self, pool: bool) -> GradientSettings:
        return GradientSettings(
            steps=self.gradient_steps,
            pool=pool,
            pool_every=self.pool_every,
            learning_rate=self.gradient_rate,
        )

    def rng(self, *numbers: int) -> np.random.Generator:
        """A generator of a stage's own."""
        return np.random.default_rng([self.seed, *numbers])


PRESETS = {"cpu": PipelineSettings()}


def read_settings(folder: Path) -> PipelineSettings:
    """The settings of the run in ``folder``.

    Raises:
        FileNotFoundError: there is no run.
        DamagedFile: the file is cut short or foreign.
    """
    path = folder / SETTINGS_FILE
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} holds no run of AlphaGo: azlearn alphago --out {folder} makes one."
        )
    try:
        values = read_json(path, {})
        settings = PipelineSettings(**values)
        if missing := set(asdict(settings)) - set(values):
            raise ValueError(f"without {', '.join(sorted(missing))}")
        return settings
    except DamagedFile:
        raise
    except (ValueError, TypeError) as error:
        raise DamagedFile(f"{path} is damaged or foreign ({error}).") from None
