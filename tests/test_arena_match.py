"""Openings and matches: every game replayed, counted by hand, and told apart from its copies."""

import json
from collections import Counter

import numpy as np
import pytest

from azlearn.arena import (
    CompiledUCTPlayer,
    Match,
    PlayedGame,
    RandomPlayer,
    TacticalPlayer,
    play_match,
    random_openings,
)
from azlearn.games import ConnectFour, State, TicTacToe

FOUR, THREE = ConnectFour(), TicTacToe()


class Leftmost:
    """Deterministic, and it keeps count of how it is asked."""

    def __init__(self, game, name="leftmost", pick=min):
        self.game, self.name, self.pick, self.calls = game, name, pick, 0

    def choose(self, state, rng):
        self.calls += 1
        return self.pick(self.game.legal_actions(state))


class LeftmostAtOnce(Leftmost):
    """The same moves, many at a time."""

    def choose_batch(self, states, rngs):
        self.calls += 1
        return [self.pick(self.game.legal_actions(state)) for state in states]


class TooFew(Leftmost):
    def choose_batch(self, states, rngs):
        return [0]


@pytest.mark.parametrize(("plies", "n"), [(0, 1), (1, 4), (9, 200)])
def test_openings_of_connect_four_differ_in_the_mirror_too(plies, n):
    openings = random_openings(FOUR, n, plies, rng=3)
    assert {len(moves) for moves in openings} == {plies}
    positions = [FOUR.from_moves(moves) for moves in openings]
    mirror = str.maketrans("1234567", "7654321")
    images = [FOUR.from_moves(moves.translate(mirror)) for moves in openings]
    assert len(set(positions)) == n
    own_images = sum(map(State.__eq__, positions, images))
    assert len(set(positions) | set(images)) == 2 * n - own_images
    for position in positions:
        following = [FOUR.play(position, action) for action in FOUR.legal_actions(position)]
        assert following  # the game goes on, …
        assert not any(FOUR.highlights(after) for after in following)  # … and nobody wins at once
    assert random_openings(FOUR, n, plies, rng=3) == openings
    assert plies == 0 or random_openings(FOUR, n, plies, rng=4) != openings


def test_tic_tac_toe_has_as_many_openings_as_it_should():
    # 1, 3, 12, 38 and 108 positions after 0 to 4 plies up to symmetry, of 765 in all. After four,
    # X has two of its own: 54 positions have no line that they would complete.
    for plies, number in {2: 12, 4: 54}.items():
        assert len(random_openings(THREE, 1000, plies, or_fewer=True)) == number
    for n, plies, said in (
        (13, 2, "In tic_tac_toe only 12 different openings of 2 plies were found, not 13"),
        (1, 9, "only 0 different openings of 9 plies"),
    ):
        with pytest.raises(ValueError, match=said):
            random_openings(THREE, n, plies)


def replayed(game, match):
    """Every game again, move by move: the score of ``a`` from the line on the board."""
    for played in match.games:
        assert played.moves.startswith(played.opening)
        state = game.initial_state()
        for move in played.moves:
            state = game.play(state, int(move) - 1)  # refuses a move after the end
        line = game.highlights(state)
        stones = np.array(game.cells(state))
        if line:
            first_won = bool((stones[line] == 1).all())
            assert first_won or (stones[line] == 2).all()
            yield 1.0 if first_won == played.a_first else 0.0
        else:
            assert (stones > 0).all()
            yield 0.5


@pytest.mark.parametrize("game", [FOUR, THREE])
def test_every_game_is_legal_and_its_score_is_what_the_board_says(game):
    match = play_match(TacticalPlayer(game), RandomPlayer(game), games=100, seed=5)
    assert [played.score for played in match.games] == list(replayed(game, match))
    assert (match.a, match.b) == ("tactical", "random")
    assert match.score > 0.7
    colors = Counter((played.opening, played.a_first) for played in match.games)
    assert len({opening for opening, _ in colors}) == 50
    assert set(colors.values()) == {1}  # each opening is played with both colors


def test_two_deterministic_players_repeat_themselves_and_the_match_says_so():
    a, b = Leftmost(FOUR), Leftmost(FOUR, "rightmost", max)
    match = play_match(a, b, games=40)
    assert (len(match.games), len(match.opening_scores)) == (40, 20)
    assert 20 < match.distinct_games <= 40
    copies = play_match(a, b, games=400, openings=["44", "17"])
    assert (len(copies.games), copies.distinct_games) == (400, 4)
    assert len(copies.opening_scores) == 2  # 400 games, and the evidence of two openings
    few = play_match(a, b, games=4, openings=["44", "17"])
    assert copies.table()["score_interval"] == few.table()["score_interval"]
    itself = play_match(a, Leftmost(FOUR), games=10)
    assert (itself.score, itself.distinct_games) == (0.5, 5)  # both sit everywhere once


def test_fewer_openings_than_pairs_are_played_in_whole_rounds():
    match = play_match(RandomPlayer(FOUR), RandomPlayer(FOUR), games=20, openings=["4", "3", "2"])
    assert len(match.games) == 18
    counts = [sum(g.opening == opening for g in match.games) for opening in ("4", "3", "2")]
    assert counts == [6, 6, 6]


def test_all_at_once_is_the_same_match_with_fewer_questions():
    slow, fast = Leftmost(FOUR), LeftmostAtOnce(FOUR)
    opponent = CompiledUCTPlayer(FOUR, 10)
    one_by_one = play_match(slow, opponent, games=50, seed=2)
    assert play_match(fast, opponent, games=50, seed=2) == one_by_one
    assert fast.calls <= 42 < slow.calls


def test_the_seed_decides_everything():
    a, b = CompiledUCTPlayer(FOUR, 20), RandomPlayer(FOUR)
    match = play_match(a, b, games=20, seed=9)
    assert play_match(a, b, games=20, seed=9) == match
    other = play_match(a, b, games=20, seed=10)
    assert {game.opening for game in other.games} != {game.opening for game in match.games}
    # From one opening, forty games of their own.
    assert play_match(b, b, games=40, openings=["4"]).distinct_games > 35
    # A game does not depend on the games beside it.
    openings = [game.opening for game in match.games[::2]]
    assert play_match(a, b, 10, 9, openings[:5]).games == match.games[:10]


def test_the_table_adds_up_by_hand():
    def played(opening, a_first, score, moves="4"):
        return PlayedGame(opening, opening + moves, a_first, score)

    games = (
        *(played("11", True, 1.0), played("11", False, 0.5)),
        *(played("22", True, 1.0), played("22", False, 1.0)),
        *(played("33", True, 0.0), played("33", False, 0.5, moves="5")),
    )
    match = Match("new", "old", games)
    table = match.table()
    assert (table["wins"], table["draws"], table["losses"]) == (3, 2, 1)
    assert table["as_first"] == {"wins": 2, "draws": 0, "losses": 1}
    assert table["as_second"] == {"wins": 1, "draws": 2, "losses": 0}
    assert table["score"] == match.score == pytest.approx(4 / 6)  # a draw is half a point
    assert table["elo"] == pytest.approx(400 * np.log10(2))  # 2 to 1
    assert match.opening_scores == [0.75, 1.0, 0.25]
    assert match.distinct_games == 4  # the first three openings went on alike with both colors
    for bound, of_elo in zip(table["score_interval"], table["elo_interval"], strict=True):
        assert 1 / (1 + 10 ** (-of_elo / 400)) == pytest.approx(bound)
    assert table["elo_interval"][0] < table["elo"] < table["elo_interval"][1]
    assert json.loads(json.dumps(table))["games"] == 6
    assert match.table(confidence=0.5)["score_interval"][0] > table["score_interval"][0]
    # A clean sweep has no Elo, but a bound of it on one side.
    for score, none in ((1.0, 1), (0.0, 0)):
        table = Match("a", "b", (played("11", True, score),)).table()
        assert (table["elo"], table["elo_interval"][none]) == (None, None)
        assert "Infinity" not in json.dumps(table)


@pytest.mark.parametrize(
    ("a", "options", "said"),
    [
        (Leftmost(FOUR), {"games": 3}, "games must be an even number, not 3."),
        (Leftmost(THREE), {}, "leftmost plays tic_tac_toe, but random plays connect_four."),
        (Leftmost(FOUR), {"openings": ["48"]}, "The opening '48' cannot be played: Move 2 is '8'"),
        (Leftmost(FOUR), {"openings": ["1212121"]}, "The opening '1212121' is a finished game."),
        (Leftmost(FOUR), {"openings": []}, "A match needs at least one opening."),
        (Leftmost(FOUR, "stubborn", lambda legal: -1), {}, "stubborn chose action -1, which is il"),
        (TooFew(FOUR, "lazy"), {}, "lazy chose 1 actions in 32 positions."),
    ],
)
def test_a_match_that_cannot_be_is_refused_in_a_sentence(a, options, said):
    with pytest.raises(ValueError, match=said) as error:
        play_match(a, RandomPlayer(FOUR), **options)
    assert "\n" not in str(error.value)


def test_a_match_of_a_billion_games_begins_at_once():
    """Games are made as they begin, and told of as they end."""

    def done(game):
        told.append(game)
        if len(told) == 300:
            raise KeyboardInterrupt

    told = []
    with pytest.raises(KeyboardInterrupt):
        play_match(LeftmostAtOnce(FOUR), RandomPlayer(FOUR), games=10**9, done=done)
    # They are the first games of any match with this seed, but for those under way still.
    same = play_match(LeftmostAtOnce(FOUR), RandomPlayer(FOUR), games=1000).games
    assert set(told) <= set(same)
