"""Games by name, and a reader's own game in a file: nothing in the package knows it."""

import hashlib
import importlib
import os
import subprocess
import sys
import warnings

import pytest

from azlearn.games import ConnectFour, DotsAndBoxes, Go, Hex, Othello, assert_conforms
from azlearn.games.named import make_game, plain_name, shipped_name, short_name, stored_name
from tests.own_game import SOURCE


@pytest.fixture
def own(tmp_path):
    """The file of a reader's game."""
    file = tmp_path / "race.py"
    file.write_text(SOURCE, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("word", "game"),
    [
        ("connect4", ConnectFour()), ("othello", Othello(8)), ("othello:6", Othello(6)),
        ("dots_and_boxes:2x3", DotsAndBoxes(2, 3)), ("hex:4", Hex(4)),
        ("go:5:komi=0", Go(5, komi=0)), ("go5:komi=24.5,superko", Go(5, komi=24.5, superko=True)),
        ("go:history=3,komi=-1", Go(7, komi=-1, history=3)), ("go5:suicide", Go(5, suicide=True)),
    ],
)  # fmt: skip
def test_names_sizes_and_what_else_a_game_is_told(word, game):
    assert make_game(word) == game
    assert make_game(word) is make_game(word)
    assert stored_name(word) == word


def test_names_for_files_and_without_options():
    assert short_name("go5:komi=0,superko") == "go5_komi=0_superko"
    for word, plain in {
        "connect4": "connect4", "go": "go7", "go:7:komi=8.5": "go7", "go:5": "go5",
        "othello": "othello8", "dots_and_boxes:2x3": "dots_and_boxes:2x3",
    }.items():  # fmt: skip
        assert plain_name(make_game(word)) == shipped_name(make_game(word)) == plain
    for word, plain in {"go:5:komi=0": "go5", "go:superko": "go7"}.items():
        assert (plain_name(make_game(word)), shipped_name(make_game(word))) == (plain, "")


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("chess", "game must be one of connect4, tictactoe, othello, dots_and_boxes, hex, go, or"),
        ("othello:big", "Give the size as one or two numbers, as in othello:6, not 'big'"),
        ("connect4:6x7", "connect4 does not support the size '6x7'"),
        ("go7:komi", "has the options komi=NUMBER, superko, history=NUMBER, suicide, not 'komi'"),
        ("go7:komi=high", "not 'komi=high'"),
        ("othello6:komi=2", "othello has no options such as 'komi=2'"),
        ("nowhere/my_game.py:MyGame", "my_game.py, which should contain the game MyGame"),
    ],
)
def test_what_is_no_game_is_one_sentence(word, words):
    with pytest.raises(ValueError, match=words) as error:
        make_game(word)
    assert "\n" not in str(error.value)


def test_a_file_without_the_game_or_with_an_error_says_so(own):
    with pytest.raises(ValueError, match=r"contains no game 'Chess'\. It must be a RulesGame"):
        make_game(f"{own}:Chess")
    own.write_text("1 / 0")
    with pytest.raises(ValueError, match="fails to run: ZeroDivisionError: division by zero"):
        make_game(f"{own}:Race")


def test_a_file_that_has_changed_is_taken_with_a_warning_and_a_missing_one_is_named(own):
    word = stored_name(f"{own}:Race")
    assert make_game(word).num_actions == 3
    own.write_text(
        SOURCE.replace("NUM_ACTIONS, MAX_PLIES = 2, 8, 3", "NUM_ACTIONS, MAX_PLIES = 2, 8, 2")
    )
    with pytest.warns(UserWarning, match="race.py or a file that it imports has changed"):
        assert make_game(word).num_actions == 2
    own.unlink()
    with pytest.raises(ValueError, match=r"no file .*race\.py, which should contain the game Race"):
        make_game(word)


def in_three_files(folder, cols):
    """Writes race.py, which imports its rules, which import their constants. Gives its word."""
    folder.mkdir(exist_ok=True)
    head, tail = SOURCE.split("class Race(RulesGame):")
    old, new = "ROWS, COLS, NUM_ACTIONS, MAX_PLIES = 2, 8, 3, 16", "from race_sizes import *"
    texts = {
        "race_sizes": f"ROWS, COLS, NUM_ACTIONS, MAX_PLIES = 2, {cols}, 3, {2 * cols}\n",
        "race_rules": "from __future__ import annotations\n" + head.replace(old, new),
        "race": "import random\nimport race_rules\nfrom race_rules import COLS, ROWS\n"
        f"from azlearn.games import RulesGame\n\n\nclass Race(RulesGame):\n"
        f"    rules = race_rules\n    seed = random.Random(1).random(){tail}",
        "random": "1 / 0\n",  # the standard library's is used, as in any other module
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return f"{folder / 'race.py'}:Race"


def test_rules_may_stand_in_files_beside_it_whatever_another_game_calls_its_own(tmp_path):
    words = {cols: in_three_files(tmp_path / str(cols), cols) for cols in (8, 10)}
    games = {cols: make_game(word) for cols, word in words.items()}
    for cols, game in games.items():
        assert game.max_plies == 2 * cols
        assert_conforms(game, num_games=5)  # compiled, too
        assert make_game(words[cols]) is game


def test_a_module_that_a_reader_has_imported_is_the_one_of_the_game(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "mine")
    word = in_three_files(tmp_path / "mine", 8)
    for name in ("race_rules", "race_sizes"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    rules = importlib.import_module("race_rules")
    assert make_game(word).rules is rules
    assert make_game(in_three_files(tmp_path / "another", 10)).max_plies == 20
    assert make_game(word).max_plies == 16


def test_a_change_in_a_file_that_it_imports_is_told_and_the_new_rules_are_used(tmp_path):
    word = stored_name(in_three_files(tmp_path, 8))
    own, _, digits = word.partition("#")
    assert make_game(word).max_plies == 16
    in_three_files(tmp_path, 10)
    with pytest.warns(UserWarning, match="race.py or a file that it imports has changed since"):
        assert make_game(word).max_plies == 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an earlier version stored half of the digits
        assert make_game(f"{own}#{digits[:16]}").max_plies == 20


def test_the_fingerprint_of_a_single_file_is_that_of_earlier_versions(own):
    digits = hashlib.sha256(own.read_bytes()).hexdigest()[:16]
    assert stored_name(f"{own}:Race") == f"{own}:Race#{digits}"


def test_rules_that_are_others_compiled_do_not_conform(own):
    """They are others in every copy of their module, and a compiler takes a copy."""
    source = SOURCE.replace("action + 1 <= COLS", "action + 1 <= COLS - IS_COPY")
    copied = 'IS_COPY = int("_variant_" in __name__)\nINITIAL ='
    own.write_text(source.replace("INITIAL =", copied), encoding="utf-8")
    with pytest.raises(AssertionError, match="the compiled rules' is_legal returns"):
        assert_conforms(make_game(f"{own}:Race"), num_games=5)


def azlearn(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "azlearn", *map(str, arguments)],
        capture_output=True, text=True, cwd=cwd, timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.mark.slow
def test_a_game_of_ones_own_is_trained_measured_and_gone_on_with(own, tmp_path):
    few = ["simulations=8", "first_simulations=8", "num_games=16", "moves_per_iteration=64",
           "first_window=64", "batch_size=16", "network=tiny", "precision=float32"]  # fmt: skip
    trained = azlearn(
        "train", "--game", "race.py:Race", "--iterations", "2", "--ranks", "2", "--out", "run",
        "--set", *few, cwd=tmp_path,
    )  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    assert "azlearn evaluate run" in trained.stdout
    met = azlearn("match", "run@8", "uct@8", "--games", "8", "--json", cwd=tmp_path)
    assert met.returncode == 0, met.stderr
    assert '"games": 8' in met.stdout
    with own.open("a") as file:
        file.write("\n# another remark\n")
    on = azlearn("train", "--resume", "run", "--iterations", "3", cwd=tmp_path)
    assert on.returncode == 0, on.stderr
    assert "race.py or a file that it imports has changed" in on.stderr
    own.unlink()
    for command in (["train", "--resume", "run", "--iterations", "4"], ["match", "run", "uct"]):
        gone = azlearn(*command, cwd=tmp_path)
        assert gone.returncode == 2
        assert "There is no file" in gone.stderr
        assert "Traceback" not in gone.stderr
