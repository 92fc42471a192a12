"""Settings: what is unknown, of the wrong type or impossible is refused by its name."""

import inspect
import json
import re
from dataclasses import FrozenInstanceError, asdict, fields, replace

import pytest

from azlearn.games.named import GAMES
from azlearn.learning import PRESETS, SIZES, TrainSettings, preset

NUMBERS = [field.name for field in fields(TrainSettings) if type(field.default) in (int, float)]


def test_every_setting_says_what_it_is():
    """The line of a field, or the one above, carries a comment; where the papers have a value it
    names it."""
    lines = inspect.getsource(TrainSettings).splitlines()
    for field in fields(TrainSettings):
        (at,) = [i for i, line in enumerate(lines) if line.strip().startswith(f"{field.name}:")]
        assert re.search(r"=.+  # \S", lines[at]) or re.search(r"^ +# \S", lines[at - 1]), lines[at]
    with_paper = [line for line in lines if re.search(r"# .*\bAG?Z\b", line)]
    assert len(with_paper) >= 15
    about = TrainSettings.__doc__
    assert '"AGZ" is AlphaGo Zero (Silver et al. 2017), "AZ" AlphaZero' in about


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_preset_for_a_cpu_that_fits_it(game):
    settings = preset(game, "cpu")
    assert settings.game == game
    made = settings.make_game()
    assert settings.opening_plies < made.max_plies
    assert settings.temperature_plies < made.max_plies
    assert settings.first_simulations <= settings.simulations


def test_presets_are_settings_with_a_network_of_theirs():
    for (game, name), settings in PRESETS.items():
        assert preset(game, name) is settings
        assert settings.game == game
        assert settings.network in SIZES
    assert PRESETS["connect4", "cpu"] == TrainSettings()
    with pytest.raises(ValueError, match="There is no preset 'tpu'; there are: cpu, gpu"):
        preset("connect4", "tpu")
    with pytest.raises(ValueError, match=r"game must be one of connect4, .*, not 'chess'"):
        preset("chess", "cpu")


def test_settings_are_frozen_and_survive_json():
    settings = preset("tictactoe", "cpu")
    with pytest.raises(FrozenInstanceError):
        settings.c = 2.0
    again = json.loads(json.dumps(asdict(settings)))
    assert TrainSettings().with_changes(again) == settings


def test_texts_are_read_as_the_field_s_type():
    settings = TrainSettings()
    changes = {"simulations": "64", "c": "2", "game": "tictactoe", "l2": "1e-3", "seed": 7}
    changed = settings.with_changes(changes | {"opening_plies": "4"})
    assert (changed.simulations, changed.c, changed.game) == (64, 2.0, "tictactoe")
    assert (changed.l2, changed.seed) == (0.001, 7)
    assert type(changed.c) is float
    assert type(changed.simulations) is int
    assert changed.batch_size == settings.batch_size
    assert settings.simulations == TrainSettings().simulations  # the old ones stay
    assert settings.with_changes({}) == settings
    assert type(replace(settings, c=2).c) is float


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"simulation": "5"}, "There is no setting 'simulation'; there are game, network, "),
        ({"simulations": "5.5"}, "simulations must be a whole number, not '5.5'"),
        ({"simulations": True}, "simulations must be a whole number, not True"),
        ({"c": "much"}, "c must be a finite number, not 'much'"),
        ({"c": "nan"}, "c must be a finite number, not nan"),
        ({"game": "chess"}, "game must be one of connect4, tictactoe, othello, .* not 'chess'"),
        (
            {"network": "huge"},
            "network must be one of tiny, small, medium, paper, paper39, not 'huge'",
        ),
        (
            {"first_network": "medium"},
            "first_network must be a smaller size than network, medium, not medium",
        ),
        ({"use_solver": 1}, "use_solver must be True or False, not 1"),
        (
            {"forced_playout_k": 2, "search": "gumbel"},
            "forced_playout_k needs search=puct: Gumbel's rule says which",
        ),
        (
            {"full_search_prob": 0.25, "fast_simulations": 30},
            r"fast_simulations \(30\) must not exceed first_simulations \(24\)",
        ),
        (
            {"game": "go5", "ownership_weight": 1.0, "use_solver": True},
            "ownership_weight and use_solver need played_out_fraction=1: a game that ends when it"
            " is decided",
        ),
        (
            {"simulations": 9, "first_simulations": 10},
            r"first_simulations \(10\) must not .* \(9\)",
        ),
        ({"first_window": 10, "window": 9}, r"first_window \(10\) must not exceed window \(9\)"),
        ({"gate_games": 3}, "gate_games must be even, not 3: games come in pairs"),
        (
            {"resign_rate": 0.05, "played_out_fraction": 0},
            "resign_rate needs a played_out_fraction above",
        ),
        (
            {"opening_plies": 42},
            "opening_plies must be below 42, the plies of the longest game, not",
        ),
    ],
)
def test_what_is_unknown_or_wrong_is_one_sentence(changes, words):
    with pytest.raises(ValueError, match=words) as error:
        TrainSettings().with_changes(changes)
    assert "\n" not in str(error.value)


COUNTS = (
    "simulations", "first_simulations", "max_considered_actions", "fast_simulations",
    "moves_per_iteration",
    "window", "first_window", "batch_size", "gate_simulations", "gate_every",
)  # fmt: skip
SHARES = (
    "noise_fraction", "random_opening_fraction", "value_target_mix", "resign_rate",
    "played_out_fraction",
    "constant_lr_fraction", "final_lr_fraction", "surprise_fraction",
)  # fmt: skip
LIMITS = {  # name: (allowed, impossible)
    **dict.fromkeys(COUNTS, ((1,), (0, -3))),
    **dict.fromkeys(SHARES, ((0, 1), (-0.1, 1.1))),
    **dict.fromkeys(
        ("noise_total", "samples_per_position", "learning_rate", "gradient_norm"), ((1e-6,), (0.0,))
    ),
    **dict.fromkeys(
        (
            "seed",
            "num_games",
            "temperature_plies",
            "opening_plies",
            "gate_games",
            "final_batch_size",
            "snapshots_per_doubling",
        ),
        ((0,), (-1,)),
    ),
    **dict.fromkeys(
        ("c", "c_scale", "forced_playout_k", "l2", "weight_decay", "ownership_weight"),
        ((0.0,), (-0.1,)),
    ),
    **dict.fromkeys(("full_search_prob", "growth_fraction"), ((0.1, 1), (0.0, 1.1))),
}


SMALLEST = {"window": {"first_window": 1}, "simulations": {"first_simulations": 1}}


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_has_limits_and_is_named_beyond_them(name):
    allowed, impossible = LIMITS[name]
    for value in allowed:
        changes = {name: value} | (SMALLEST.get(name, {}))
        assert getattr(TrainSettings(**changes), name) == value
    for value in impossible:
        with pytest.raises(ValueError, match=rf"^{name} must be .* not {re.escape(str(value))}\.$"):
            TrainSettings(**{name: value})
