"""The template of a game, and wrong copies of it: what the suite and the commands say of each."""

import ast
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from azlearn.games import (
    ConnectFour,
    DotsAndBoxes,
    Go,
    Hex,
    Othello,
    TicTacToe,
    assert_conforms,
    template,
)
from azlearn.games.named import make_game, stored_name
from azlearn.games.random_games import counts_by_depth
from azlearn.games.specialize import NO_FILE
from azlearn.search import BatchedSearch, compiled_uct
from tests.project.test_cli import refused, run

SOURCE = Path(template.__file__).read_text(encoding="utf-8")
PLAY = "return State(state.opp, state.me | stone(state.me, action))"
END = "return is_over, is_over * -1"
ENDS = "is_over = free(state) == 0"
TURN = "return parity(state.me | state.opp)"
FREE = "return BOARD & ~(state.me | state.opp | around(state.opp))"
SIZE = "ROWS = COLS = 5"
LABEL = """return f"{'abcdefgh'[col]}{row + 1}\""""
IMPORT = "from azlearn.games import Drawing, RulesGame, State, assert_conforms"
BEFORE_LABEL = "    def action_label"
FILLS = "    drawing = Drawing(fills=True)"
WITH_A_MOVER = {
    IMPORT: "from typing import NamedTuple\n"
    "from azlearn.games import Drawing, RulesGame, assert_conforms\n"
    "class State(NamedTuple):\n    me: int\n    opp: int\n    mover: int",
    "INITIAL = State(0, 0)": "INITIAL = State(0, 0, 0)",
    TURN: "return state.mover",
}
WRONG = {
    "the stones do not change hands": (
        {PLAY: "return State(state.me | stone(state.me, action), state.opp)"},
        "After the actions [21]: player 0 placed the stone on cell 21, but cells shows it as player"
        " 1's; one of these three does not hold: play swaps me and opp",
    ),
    "the mover is not switched": (
        WITH_A_MOVER
        | {PLAY: "return State(state.opp, state.me | stone(state.me, action), state.mover)"},
        "to_play says who moves next",
    ),
    "the second player begins": (
        {TURN: "return 1 - parity(state.me | state.opp)"},
        "to_play must be 0 or 1, and 0 at the start, not 1",
    ),
    "planes by player, not by mover": (
        {"return state.me, state.opp\n\n    def board": "m = to_play(state)\n"
         "        both = state.me ^ state.opp\n        swap = both * m\n"
         "        return state.me ^ swap, state.opp ^ swap\n\n    def board"},
        "the first plane has the stones of the player to move",
    ),
    "half an outcome": ({END: "return is_over, is_over * -0.5"}, "must be -1, 0 or 1, for the"),
    "an outcome without is_over": (
        {END: "return is_over * -1"}, "outcome must always return (is_over, value)",
    ),
    "a value while it goes on": (
        {END: "return is_over, one_like(state.me) * -1"},
        "returns the value -1 although the game is not over; it must then be 0: multiply",
    ),
    "over before it begins": ({ENDS: "is_over = state.me == 0"}, "initial position is already ov"),
    "stuck, and not over": (
        {ENDS: "is_over = state.me < 0"},
        "no move is legal: let outcome end it, or add an action for passing",
    ),
    "taken cells are legal": (
        {FREE: "return BOARD & ~(state.me | around(state.opp))"},
        "two stones on one cell or a stone outside the board: either is_legal allows an occupied",
    ),
    "a move that does nothing": ({PLAY: "return state"}, "the move did not change the position"),
    "for ever": (
        WITH_A_MOVER
        | {PLAY: "return State(state.opp, stone(state.me, action), 1 - state.mover)",
           ENDS: "is_over = state.me < 0", FREE: "return BOARD & ~(state.me | state.opp)",
           FILLS: ""},
        "has not ended after max_plies = 25 plies: increase MAX_PLIES, or count plies in",
    ),
    "more than one stone, and fills": (
        {PLAY: "return State(state.opp, state.me | stone(state.me, action) | 1 & ~state.opp)"},
        "drawing has fills=True, but the move did more than place one stone",
    ),
    "a shift that wraps": (
        {"STRIDE = COLS + 1 ": "STRIDE = COLS ", "(action + action // COLS)": "action"},
        "a shift wraps at an edge",
    ),
    "actions that do not turn with the board": (
        {BEFORE_LABEL: "    def moved_actions(self, cells):\n        return np.arange(25)\n\n"
         + BEFORE_LABEL},
        "it transforms the board and the policy differently",
    ),
    "too few actions are turned": (
        {BEFORE_LABEL: "    def moved_actions(self, cells):\n        return cells[:-1]\n\n"
         + BEFORE_LABEL},
        "symmetry 1 has 24 entries for 25 actions: moved_actions must return one entry",
    ),
    "an action too few": (
        {"NUM_ACTIONS = ROWS * COLS ": "NUM_ACTIONS = ROWS * COLS - 1 "},
        "a symmetry permutes the actions as if they were cells: write moved_actions",
    ),
    "planes of the wrong shape": (
        {"num_planes = 2": "num_planes = 3"},
        "encode must return planes of shape (num_planes, rows, cols) = (3, 5, 5), not (2, 5, 5)",
    ),
    "the board upside down": (
        {"return STRIDE * row + col": "return STRIDE * (ROWS - 1 - row) + col"},
        "cell_bit and the rules number the cells differently",
    ),
    "a list for a position": (
        {"INITIAL = State(0, 0)": "INITIAL = [0, 0]"},
        "INITIAL is [0, 0], but a position must be a State, a NamedTuple of 64-bit",
    ),
    "more than 64 bits": (
        {SIZE: "ROWS = COLS = 8"}, "cell_bits uses bits 0 to 70, but a word has only bits 0 to 63",
    ),
    "if": (
        {f"{ENDS}\n    {END}": "if free(state):\n        return False, 0\n    return True, -1"},
        "batch_outcome fails on NumPy arrays (ValueError: The truth value of an array with more"
        " than one element is ambiguous. Use a.any() or a.all()). Rules must be arithmetic",
    ),
    "a method of Python's ints": (
        {TURN: "return (state.me | state.opp).bit_count() & 1"}, "or methods of Python ints",
    ),
    "chance": (
        {PLAY: "extra = next(COUNT) % 2 * stone(state.me, 0) & ~state.opp\n"
         "    return State(state.opp, state.me | stone(state.me, action) | extra)",
         "INITIAL =": "import itertools\nCOUNT = itertools.count()\nINITIAL =", FILLS: ""},
        "or play returns different positions each time",
    ),
    "an error of its own": (
        {FREE: "return state.board"},
        "line 57 of my_game.py (free) raises AttributeError: 'State' object has no attribute",
    ),
    "two moves of one name": (
        {LABEL: "return 'abcdefgh'[col]"}, "returns the same label for two actions: 'a'",
    ),
    "a name with a blank": (
        {LABEL: LABEL.replace("}{row", "} {row")}, "a word without spaces, not 'a 1'",
    ),
    "a method left out": (
        {"def num_plies": "def plies"}, "The game's class must define num_plies",
    ),
    "a name left out": ({'    name = "snort"\n': ""}, "The game has no name"),
    "no first position": ({"INITIAL =": "START ="}, "the rules module does not define INITIAL"),
}  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """Writes my_game.py, the template with some of its text replaced; gives its game's word."""

    def write(patches):
        text = SOURCE
        for old, new in patches.items():
            assert old in text, old
            text = text.replace(old, new)
        (tmp_path / "my_game.py").write_text(text, encoding="utf-8")
        return f"{tmp_path / 'my_game.py'}:MyGame"

    return write


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_game_is_refused_with_the_rule_that_it_breaks(written, name):
    patches, words = WRONG[name]
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are looked at below
        make_game(written(patches))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (assert_conforms, AssertionError),
        (lambda game: compiled_uct(game, game.initial_state(), 2), ValueError),
        (lambda game: BatchedSearch(game, 1, 2), ValueError),
    ],
)
def test_rules_in_a_notebook_are_told_to_move_to_a_file(use, error, monkeypatch):
    cell = ModuleType("cell")
    monkeypatch.setitem(sys.modules, "cell", cell)
    exec(SOURCE, vars(cell))
    with pytest.raises(error) as caught:
        use(cell.MyGame())
    assert str(caught.value) == NO_FILE


UNCOMPILED = WITH_A_MOVER | {
    PLAY: "return State(state.opp, state.me | stone(state.me, action), 1 - state.mover)",
    TURN: 'return state._asdict()["mover"]',
}


THREE = 1 | 1 << 12 | 1 << 24  # two corners and the centre
RARE = {END: f"return is_over & (state.me & {THREE} != {THREE}), is_over * -1"}


def test_a_training_begins_with_the_whole_suite(written, capsys, tmp_path, monkeypatch):
    """A fault that two random games do not meet, and one that only a compiler finds."""
    monkeypatch.chdir(tmp_path)
    faults = {"is not a valid game. After the actions": RARE, "Numba cannot compile": UNCOMPILED}
    for words, patches in faults.items():
        make_game(word := written(patches))
        code, out, err = run(capsys, "train", "--game", word)
        assert code == 2
        assert out.endswith("Checking the rules with 50 random games …\n")
        assert err.startswith("azlearn: MyGame in")
        assert words in err
        assert len(err.splitlines()) == 1
    assert not Path("runs").exists()


def test_the_template_s_rules_are_snort():
    """A plain board: sets of cells, and nothing shifted."""
    game, rng = template.MyGame(), np.random.default_rng(0)
    for _ in range(60):
        state, owner = game.initial_state(), {}
        while True:
            mover = len(owner) % 2
            beside = {
                (r + dr, c + dc)
                for (r, c), who in owner.items()
                if who != mover
                for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))
            }
            free = [5 * r + c for r in range(5) for c in range(5)
                    if (r, c) not in owner and (r, c) not in beside]  # fmt: skip
            assert game.legal_actions(state) == free
            assert game.to_play(state) == mover
            assert game.outcome(state) == (None if free else -1)
            if not free:
                break
            action = int(rng.choice(free))
            owner[divmod(action, 5)] = mover
            state = game.play(state, action)


def test_the_command_writes_a_game_that_runs_and_nothing_over_a_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "new-game", "mine.py")
    assert code == 0
    assert "azlearn train --game mine.py:MyGame" in out
    text = (tmp_path / "mine.py").read_text()
    assert "python mine.py" in text
    assert "my_game" not in text
    ran = subprocess.run([sys.executable, "mine.py"], capture_output=True, text=True, timeout=120)
    assert ran.stdout.startswith("snort: 50 random games of "), ran.stderr
    assert "Suspicious" not in ran.stdout
    assert ran.stdout.endswith("\nsnort: rules, planes and pictures are consistent.\n")
    (tmp_path / "mine.py").write_text("mine")
    assert "mine.py already exists" in refused(capsys, "new-game", "mine.py")
    assert (tmp_path / "mine.py").read_text() == "mine"
    assert "must end in .py" in refused(capsys, "new-game", "mine.txt")
    assert "no.where" not in refused(capsys, "new-game", "nowhere/mine.py")


def test_the_commands_of_a_new_game_can_be_copied_whatever_it_is_called(
    tmp_path, capsys, monkeypatch
):
    name = 'Jörg\'s so called """game""" back\\slash #1'
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "new-game", f"{name}.py")
    assert code == 0
    check, train = (shlex.split(line) for line in out.splitlines()[-2:])
    assert check[2:] == ["python", f"{name}.py"]
    assert make_game(train[train.index("--game") + 1]).name == "snort"
    said = ast.get_docstring(ast.parse(Path(f"{name}.py").read_text(encoding="utf-8")))
    (line,) = (line for line in said.splitlines() if "azlearn train" in line)
    assert shlex.split(line)[3] == f"{name}.py:MyGame"


def test_a_run_that_was_sent_with_its_file_finds_it_in_the_folder(written, tmp_path, monkeypatch):
    word = stored_name(written({}))
    (tmp_path / "friend").mkdir()
    monkeypatch.chdir(tmp_path / "friend")
    (tmp_path / "my_game.py").rename("my_game.py")
    assert make_game(word).name == "snort"
    Path("my_game.py").write_text(SOURCE + "# another\n")
    with pytest.raises(ValueError, match="There is no file"):
        make_game(word)


SUSPICIOUS = {
    "every game ended after its first move": {ENDS: "is_over = (state.me | state.opp) != 0"},
    "there was never more than one legal move": {  # the lowest free cell: another in a mirror
        FREE: "free = BOARD & ~(state.me | state.opp)\n    return free & -free",
        "return [*rotated, *(np.fliplr(one) for one in rotated)]": "return [board]",
    },
    "of 50 games were cut off by MAX_PLIES = 5": {
        "MAX_PLIES = ROWS * COLS": "MAX_PLIES = 5",
        ENDS: "is_over = popcount(state.me | state.opp) >= MAX_PLIES",
        "import one_like, parity": "import one_like, parity, popcount",
    },
}


@pytest.mark.parametrize("words", SUSPICIOUS)
def test_a_game_that_fits_together_and_looks_odd_is_told(written, capsys, words):
    assert_conforms(make_game(written(SUSPICIOUS[words])), compiled=False)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("Suspicious: ") and words in line for line in lines)


@pytest.mark.parametrize(
    ("game", "sequences", "positions"),
    [
        (ConnectFour(), [7, 49, 343, 2401], [7, 49, 238, 1120]),  # J. Tromp's
        (TicTacToe(), [9, 72, 504, 3024], [9, 72, 252, 756]),  # 9, 9 * 8, 9 * (8 over 2), …
        (Othello(), [4, 12, 56, 244, 1396], [4, 12, 54, 236, 1288]),
        (Hex(3), [9, 72, 504, 3024], [9, 72, 252, 756]),
        (DotsAndBoxes(1, 1), [4, 12, 24, 24], [4, 6, 4, 1]),
        (Go(7), [50], [50]),  # 49 points, and a pass
    ],
)
def test_counts_by_depth_are_the_published_ones(game, sequences, positions):
    found = counts_by_depth(game)
    assert list(zip(sequences, positions, strict=True)) == found[: len(sequences)]
