"""Settings: what is unknown, of the wrong type or impossible is refused by its name."""

import inspect
import re
from dataclasses import asdict, fields, replace

import pytest

from azlearn.games.named import GAMES
from azlearn.learning import PRESETS, SIZES, Budget, TrainSettings, preset
from azlearn.learning.settings import read_settings

NUMBERS = [field.name for field in fields(TrainSettings) if type(field.default) in (int, float)]


def test_every_setting_says_what_it_is():
    """In a comment on its line, or above it."""
    source = inspect.getsource(TrainSettings)
    for field in fields(TrainSettings):
        line = rf"\n +# .+\n +{field.name}: .+\n|\n +{field.name}: .+  # \S"
        assert re.search(line, source), field.name


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
        assert (settings.ownership_weight > 0) == game.startswith("go")
    assert PRESETS["connect4", "cpu"] == TrainSettings()
    for word, plain in {"go:5:komi=24.5": "go5", "go": "go7", "go:komi=8.5": "go7"}.items():
        assert preset(word, "cpu") == replace(preset(plain, "cpu"), game=word)
    with pytest.raises(ValueError, match="There is no preset 'tpu'; the presets are cpu, gpu"):
        preset("connect4", "tpu")
    with pytest.raises(ValueError, match=r"game must be one of connect4, .*, not 'chess'"):
        preset("chess", "cpu")


def test_settings_of_older_runs_are_read_as_they_were_meant():
    """Before trees could grow elsewhere, weights decayed, and the value had a norm."""
    for name in ("engine", "trees"):
        assert read_settings(asdict(TrainSettings()) | {name: "compiled"}) == TrainSettings()
    old = read_settings({"l2": 1e-4, "learning_rate": 2e-3, "network": "tiny"})
    assert (old.weight_decay, old.l2, old.value_norm) == (0.0, 1e-4, False)
    assert TrainSettings().weight_decay > 0
    assert TrainSettings().value_norm
    assert read_settings({"weight_decay": 0.02}).weight_decay == 0.02


def test_texts_are_read_as_the_field_s_type():
    changes = {"simulations": "64", "c": "2", "game": "tictactoe", "l2": "1e-3", "opening_plies": 4}
    changed = TrainSettings().with_changes(changes)
    assert (changed.simulations, changed.c, changed.game) == (64, 2.0, "tictactoe")
    assert (changed.l2, changed.batch_size) == (0.001, TrainSettings().batch_size)
    assert (type(changed.simulations), type(changed.c)) == (int, float)
    assert type(replace(TrainSettings(), c=2).c) is float


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"simulation": "5"}, "There is no setting 'simulation'; the settings are game, network, "),
        ({"simulations": "5.5"}, "simulations must be a whole number, not '5.5'"),
        ({"simulations": True}, "simulations must be a whole number, not True"),
        ({"c": "much"}, "c must be a finite number, not 'much'"),
        ({"c": "nan"}, "c must be a finite number, not nan"),
        ({"game": "chess"}, "game must be one of connect4, tictactoe, othello, .* not 'chess'"),
        ({"network": "huge"}, "network must be one of tiny, .*, paper39, not 'huge'"),
        ({"optimizer": "lion"}, "optimizer must be one of adam, sgd, not 'lion'"),
        ({"first_network": "medium"}, "first_network must be a smaller size than network "),
        ({"use_solver": 1}, "use_solver must be True or False, not 1"),
        ({"forced_playout_k": 2, "search": "gumbel"}, "forced_playout_k needs search=puct: Gumbel"),
        (
            {"full_search_prob": 0.25, "fast_simulations": 30},
            r"fast_simulations \(30\) must not",
        ),
        ({"game": "connect4", "ownership_weight": 1}, "ownership_weight must be 0 in connect4"),
        ({"game": "go5", "ownership_weight": 1, "resign_rate": 0.05}, "needs resign_rate=0"),
        ({"game": "go5", "ownership_weight": 1, "use_solver": True}, "need played_out_fraction=1"),
        (
            {"simulations": 9, "first_simulations": 10},
            r"first_simulations \(10\) must not",
        ),
        ({"first_window": 10, "window": 9}, r"first_window \(10\) must not exceed window \(9\)"),
        ({"simulations": 0}, "simulations must be at least 1, not 0"),
        ({"full_search_prob": 0}, "full_search_prob must be above 0, at most 1, not 0"),
        ({"noise_fraction": 1.1}, r"noise_fraction must be in \[0, 1\], not 1.1"),
        ({"gate_games": 3}, "gate_games must be even, not 3: games come in pairs"),
        (
            {"resign_rate": 0.05, "played_out_fraction": 0},
            "resign_rate needs a played_out_fraction",
        ),
        ({"opening_plies": 42}, "opening_plies must be below 42, the length of the longest game"),
    ],
)
def test_what_is_unknown_or_wrong_is_one_sentence(changes, words):
    with pytest.raises(ValueError, match=words) as error:
        TrainSettings().with_changes(changes)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "limits", [{"iterations": 1.5}, {"minutes": 2.0, "iterations": 0}, {"minutes": "3"}, {}]
)
def test_a_budget_that_cannot_be_kept_is_refused(limits):
    with pytest.raises(ValueError, match=r"must be a|Set how long"):
        Budget(**limits)


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_has_limits_and_is_named_beyond_them(name):
    with pytest.raises(ValueError, match=rf"^{name} must be .* not -1(\.0)?\.$"):
        TrainSettings(**{name: -1})
