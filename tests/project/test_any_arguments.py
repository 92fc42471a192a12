"""Whatever a command line or a call holds: it works, or it is refused in a sentence of our own."""

import io
import re
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import azlearn
from azlearn import arena
from azlearn.arena import measuring
from azlearn.cli import alphago, train
from azlearn.course import check, hint, solution
from azlearn.games import ConnectFour, State, TicTacToe, minimax_value
from azlearn.games.named import make_game
from azlearn.learning import Budget, preset
from azlearn.search import MCTS, compiled_uct, constant, puct, uct
from azlearn.viz import explore
from tests.project.test_cli import run

HOME = str(Path(azlearn.__file__).parent)

# Command lines.

NUMBERS = (
    "0", "1", "2", "3", "-1", "-0", "1.5", "1e3", "1e400", "nan", "inf", "-inf", "", " 2 ", "1_0",
    "٣", "½", "0x10", "two", "9" * 10, "9" * 20, "9" * 5000, "None", "True",
)  # fmt: skip
WORDS = (
    "uct", "uct@3", "uct@0", "uct@-1", "uct@", "@", "@3", f"uct@{10**30}", "random", "tactical",
    "tictactoe@0", "nobody", "", " ", "~", "~nosuchuser/x", "old[/x]", "[bold]", "\udcff", ":",
    "connect4", "othello:5", "hex:3", "hex:x", "dots_and_boxes:1x1", "go:99", "x.py:Y", ".py:",
    "cpu", "gpu", "cuda:9", "first", "seed=1", "seed=", "=", "c=nan",
    "learning_rate=1e38", "window=-1", "no_such=1", "log", "-", "--", "--game", "木", "a\nb", "\0",
)  # fmt: skip
OPTIONS = (
    "--game", "--simulations", "--seed", "--games", "--json", "--positions", "--out",
    "--you", "--over-time", "--report", "--processes", "--preset", "--set", "--minutes",
    "--iterations", "--ranks", "--device", "--checkpoint-minutes", "--resume", "--go-on", "--help",
    "--no-such",
)  # fmt: skip
COMMANDS = ("evaluate", "match", "play", "train", "alphago", "progress", "--version", "x")
ARGUMENT = st.one_of(
    st.sampled_from(OPTIONS),
    st.sampled_from(WORDS),
    st.sampled_from(NUMBERS),
    st.text(st.characters(exclude_characters="/", exclude_categories=()), max_size=6),
)


@pytest.fixture
def small_work(monkeypatch, tmp_path):
    """All that is asked about is looked at; of what is to be played or trained, only a little."""

    def a_few(a, b, games, seed, done, **options):
        is_possible = games % 2 == 0 and 2 <= games <= 10**9
        return real(a, b, 2 if is_possible else games, seed, done=done, **options)

    @contextmanager
    def nothing_to_do(plan, *_):
        raise train.BudgetSpent("There is nothing left to do.")
        yield

    real, positions = arena.play_match, arena.load_positions()[:5]
    monkeypatch.setattr(arena, "play_match", a_few)
    monkeypatch.setattr(
        measuring, "play_match", lambda a, b, games, *more, **options: real(a, b, 2)
    )
    for place in (arena, measuring):
        loaded = place.load_positions
        monkeypatch.setattr(place, "load_positions", lambda p, f=loaded: f(p) if p else positions)
    monkeypatch.setattr(train, "open_run", nothing_to_do)
    monkeypatch.setattr(arena, "strength_of", lambda network: {"kept_alone": 1.0})
    monkeypatch.setattr(alphago, "_make", lambda *arguments: None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "progress.json"))


@pytest.mark.slow
def test_no_command_line_ends_in_a_traceback(small_work, capsys, monkeypatch):
    @settings(max_examples=100, suppress_health_check=list(HealthCheck))
    @given(command=st.sampled_from(COMMANDS), arguments=st.lists(ARGUMENT, max_size=5))
    def drive(command, arguments):
        monkeypatch.setattr("sys.stdin", io.StringIO("4\n?\nu\nnonsense\nq\n"))
        code, _, err = run(capsys, command, *arguments)
        assert code in (0, 2, 130), err
        assert "Traceback" not in err
        if code == 2:
            last = [line for line in err.splitlines() if line.startswith("azlearn: ")][-1:]
            assert (last and len(last[0]) > 12) or "--help" in err, err

    drive()


# Calls.

GAME, OTHER = TicTacToe(), ConnectFour()
START = GAME.initial_state()
RNG = np.random.default_rng(0)
VALUES = (
    None, True, 0, -1, 1, 10**30, 0.5, float("nan"), float("inf"), "", "nobody", "uct@2", b"x", (),
    (0, 0), [0, 0], [], {}, {1: 2}, set(), object(), lambda *_: None, lambda *_: float("nan"),
    lambda *_: [float("nan")] * 9, lambda *_: (None, "x"), np.zeros(3), np.int64(3), State(None, 0),
    State(0.5, 1), State(3, 3), State(2**40, 0), State(1 << 6, 0), State(2**70, 0), State(-1, 0),
    State(*np.zeros((2, 2), int)), START, OTHER.from_moves("44"), GAME, OTHER, uct(), puct(),
    Path("no/such"), "1.1", "9.9", "A",
)  # fmt: skip
WRONG = st.one_of(
    st.sampled_from(VALUES),
    st.integers(-3, 3),
    st.floats(),
    st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=5),
)
PLAYERS = {"random": arena.RandomPlayer(GAME), "uct": arena.UCTPlayer(GAME, 3)}
ENTRIES = {
    "explore: state": lambda x: explore(GAME, x, num_simulations=2),
    "explore: select": lambda x: explore(GAME, START, select=x, num_simulations=2),
    "search: state": lambda x: MCTS(GAME, uct(), constant()).run(x, 2),
    "compiled: state": lambda x: compiled_uct(GAME, x, 2),
    "compiled: state of columns": lambda x: compiled_uct(OTHER, x, 2),
    "play": lambda x: GAME.play(x, 0),
    "play: action": lambda x: GAME.play(START, x),
    "outcome": GAME.outcome,
    "legal_actions": GAME.legal_actions,
    "encode": GAME.encode,
    "cells": GAME.cells,
    "stack": lambda x: GAME.stack([x]),
    "minimax": lambda x: minimax_value(GAME, x, None),
    "player: random": lambda x: PLAYERS["random"].choose(x, RNG),
    "player: uct": lambda x: PLAYERS["uct"].choose(x, RNG),
    "make_player": lambda x: arena.make_player(x),
    "make_game": make_game,
    "match: player": lambda x: arena.play_match(x, "random", 2),
    "match: seed": lambda x: arena.play_match(PLAYERS["random"], PLAYERS["random"], 2, seed=x),
    "openings": lambda x: arena.random_openings(GAME, _few(x)),
    "evaluate: file": lambda x: None if x is None else arena.evaluate("random", x),
    "budget": Budget,
    "settings": lambda x: preset("tictactoe", "cpu").with_changes({"c": x, "seed": x}),
    "check": lambda x: check(x, len),
    "check: answer": lambda x: check("1.1", x),
    "hint": lambda x: hint(x, 1),
    "solution": solution,
}  # fmt: skip


def _few(number):
    """A number of simulations or games: as it is where it must be refused, else a small one."""
    is_number = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    return 2 if is_number and 0 < number < 10**9 else number


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_no_call_fails_but_in_a_sentence_of_our_own(name):
    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(WRONG)
    def drive(value):
        said = None
        try:
            ENTRIES[name](value)
        except (ValueError, OSError) as error:
            said = str(error), extract_tb(error.__traceback__)[-1].filename
        if said:
            assert said[1].startswith(HOME), said
            assert re.fullmatch(r"[^\n]{10,}", said[0]), said

    drive()
