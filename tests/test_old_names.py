"""Names of the edition before still answer, with a warning."""

import importlib

import pytest

from azlearn.arena import PUCTPlayer
from azlearn.games import TicTacToe
from azlearn.learning import TrainSettings
from azlearn.learning.settings import OLD_NAMES
from azlearn.search import BatchedSearch, gumbel

GAME = TicTacToe()


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("search", "BatchedPUCT", "BatchedSearch"),
        ("search", "ProvingMCTS", "MCTSSolver"),
        ("games.named", "find_game", "make_game"),
        ("arena", "find_player", "make_player"),
        ("arena", "never_loses", "find_losing_line"),
        ("learning", "DamagedFile", "CorruptFileError"),
        ("learning", "kept_networks", "list_snapshots"),
    ],
)
def test_old_names_answer_with_a_warning(module, old, new):
    found = importlib.import_module(f"azlearn.{module}")
    with pytest.warns(DeprecationWarning, match=f"{old} is now {new}"):
        assert getattr(found, old) is getattr(found, new)
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        _ = found.no_such_name


def test_old_arguments_do_what_the_new_ones_do():
    with pytest.warns(DeprecationWarning, match="plan is now tree_policy"):
        player = PUCTPlayer(GAME, "tictactoe", 4, plan=gumbel(4))
    assert player.tree_policy == gumbel(4)
    with pytest.warns(DeprecationWarning, match="proves is now use_solver"):
        BatchedSearch(GAME, 1, 4, proves=True)
    with pytest.warns(DeprecationWarning, match="keep_tree is now reuse_tree"):
        assert TrainSettings(keep_tree=True).reuse_tree


def test_settings_of_old_runs_are_read_by_their_names():
    ours = TrainSettings()
    for old, new in OLD_NAMES.items():
        value = getattr(ours, new)
        assert ours.with_changes({old: value}) == ours.with_changes({new: value}) == ours
    assert ours.with_changes({"reuse": "3.5"}).samples_per_position == 3.5
