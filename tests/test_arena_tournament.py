"""Tournaments: tables added up by hand, and times by a clock that the test winds itself."""

import json
from dataclasses import dataclass
from itertools import pairwise
from math import log10
from types import SimpleNamespace

import pytest

from azlearn.arena import (
    Match,
    MinimaxPlayer,
    PlayedGame,
    RandomPlayer,
    TacticalPlayer,
    Tournament,
    equal_time,
    round_robin,
    seconds_per_move,
    tournament,
)
from azlearn.games import ConnectFour, TicTacToe

FOUR, THREE = ConnectFour(), TicTacToe()
POSITIONS = [FOUR.from_moves("4453"[:plies]) for plies in range(5)]


def games(*scores):
    """Pairs of games, one pair an opening, with these scores of ``a``."""
    return tuple(
        PlayedGame(str(i // 2), f"{i // 2}{i}", i % 2 == 0, score) for i, score in enumerate(scores)
    )


BY_HAND = Tournament(
    ("a", "b", "c"),
    (
        Match("a", "b", games(1.0, 1.0, 1.0, 0.0)),
        Match("a", "c", games(1.0, 0.5)),
        Match("b", "c", games(0.5, 0.0)),
    ),
)


def test_the_table_adds_up_by_hand():
    table = json.loads(json.dumps(BY_HAND.table()))
    points = {row["player"]: (row["games"], row["score"]) for row in table["ratings"]}
    # a: 3 of 4 and 1.5 of 2. b: 1 of 4 and 0.5 of 2. c: 0.5 of 2 and 1.5 of 2.
    assert points == {"a": (6, 0.75), "b": (6, 0.25), "c": (4, 0.5)}
    assert [row["player"] for row in table["ratings"]] == ["a", "c", "b"]
    for row in table["ratings"]:
        assert row["elo_interval"][0] < row["elo"] < row["elo_interval"][1]
    pairs = [(pair["a"], pair["b"], pair["score"], pair["openings"]) for pair in table["pairs"]]
    assert pairs == [("a", "b", 0.75, 2), ("a", "c", 0.75, 1), ("b", "c", 0.25, 1)]
    assert (table["anchor"], table["confidence"]) == (None, 0.95)
    # From an anchor.
    two = Tournament(("a", "b"), BY_HAND.matches[:1])
    # 1.5 openings to 0.5, and half a game, a quarter of an opening, more on either side: 7 to 3.
    a, b = two.table(anchor="b")["ratings"]
    assert (a["player"], b["player"], b["elo"]) == ("a", "b", 0)
    assert a["elo"] == pytest.approx(400 * log10(7 / 3), abs=1e-3)


def test_everybody_meets_everybody_on_openings_of_their_own_and_the_seed_decides_everything():
    players, seen = [RandomPlayer(FOUR, "x"), TacticalPlayer(FOUR), RandomPlayer(FOUR, "z")], []
    played = round_robin(players, games=20, seed=5, done=seen.append)
    assert tuple(seen) == played.matches
    pairs = [(match.a, match.b) for match in played.matches]
    assert pairs == [("x", "tactical"), ("x", "z"), ("tactical", "z")]
    assert played.table()["ratings"][0]["player"] == "tactical"
    openings = [{game.opening for game in match.games} for match in played.matches]
    assert all(len(one) == 10 for one in openings)
    assert all(len(one & other) < 5 for one, other in pairwise(openings))
    assert round_robin(players, games=20, seed=5) == played
    assert round_robin(players, games=20, seed=6) != played
    # A player added at the end meets the others; their matches stay.
    more = round_robin([*players, RandomPlayer(FOUR)], games=20, seed=5)
    assert len(more.matches) == 6
    assert set(played.matches) < set(more.matches)


def test_a_tournament_that_cannot_be_is_refused_before_it_begins():
    random = RandomPlayer(FOUR)
    for players, said in (
        ([random], "needs at least two players, not 1"),
        ([random, random], "Two players are called 'random': give them different"),
        ([random, TacticalPlayer(FOUR), MinimaxPlayer(THREE)], "random plays conn"),
    ):
        with pytest.raises(ValueError, match=said):
            round_robin(players, done=lambda match: pytest.fail("a match was played"))


@pytest.fixture
def clock(monkeypatch):
    """Stands still but for what a player takes."""
    wound = SimpleNamespace(now=0.0)
    monkeypatch.setattr(tournament, "perf_counter", lambda: wound.now)
    return wound


@dataclass
class Searches:
    """Takes ``overhead`` and so much more a simulation, less of it the more stones there are."""

    clock: SimpleNamespace
    num_simulations: int
    each: float
    overhead: float = 0.0
    name: str = "searches"

    def choose(self, state, rng):
        stones = (state.me | state.opp).bit_count()
        self.clock.now += (self.overhead + self.each * self.num_simulations) * (1 - stones / 10)
        return FOUR.legal_actions(state)[0]


class Compiles:
    """Takes a minute for its first choice and a second for each of the others."""

    name = "compiles"

    def __init__(self, clock):
        self.clock, self.asked = clock, []

    def choose_batch(self, states, rngs):
        self.clock.now += 1.0 if self.asked else 60.0
        self.asked.append(len(states))
        return [0 for _ in states]


def test_a_move_s_time_is_the_median_over_the_positions(clock):
    # 0 to 4 stones: 10, 9, 8, 7 and 6 tenths of 2 s.
    assert seconds_per_move(Searches(clock, 20, 0.1), POSITIONS) == pytest.approx(1.6)
    assert seconds_per_move(Searches(clock, 20, 0.1), POSITIONS[3:]) == pytest.approx(1.3)
    # The first choice is not counted, and players are asked as in a match.
    player = Compiles(clock)
    assert seconds_per_move(player, POSITIONS[:1]) == 1.0
    assert player.asked == [1, 1]


@pytest.mark.parametrize(("each", "overhead"), [(1e-6, 0.0), (0.0003, 0.05), (0.01, 0.03)])
@pytest.mark.parametrize("start", [1, 20_000])
def test_equal_time_finds_the_number_of_simulations(clock, each, overhead, start):
    player = Searches(clock, start, each, overhead, name="deep")
    [(found, seconds)] = equal_time([player], 80, POSITIONS)
    # At 2 stones, the median, a move takes 0.8 of the whole: 0.1 s of overhead and simulations.
    right = (0.1 - overhead) / each
    assert found.num_simulations == pytest.approx(right, rel=0.12)
    assert seconds == pytest.approx(0.08, rel=0.06)
    assert (found.name, found.each, player.num_simulations) == ("deep", each, start)
    # What cannot be is told by the seconds.
    slow, plain = Searches(clock, 50, 1.0), Compiles(clock)
    (least, slow_seconds), (same, plain_seconds) = equal_time([slow, plain], 100, POSITIONS)
    assert (least.num_simulations, slow_seconds) == (1, pytest.approx(0.8))
    assert (same, plain_seconds) == (plain, 1.0)
    with pytest.raises(ValueError, match="milliseconds must be a finite number above 0"):
        equal_time([slow], 0, POSITIONS)
    with pytest.raises(ValueError, match="At least one position"):
        seconds_per_move(slow, [])
