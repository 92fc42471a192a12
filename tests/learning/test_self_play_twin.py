"""The package's self-play is the readable one, game for game."""

from dataclasses import replace

import numpy as np
import pytest

from tests.engines import evaluators
from tests.learning.readable_self_play import ReadableSelfPlay
from tests.learning.self_played import TIC_TAC_TOE, Watched

SMALL = {"simulations": 8, "first_simulations": 8, "opening_plies": 4, "temperature_plies": 3}
GAMES = {
    "tictactoe": {},
    "connect4": SMALL | {"opening_plies": 20},
    "dots_and_boxes2": SMALL,  # a box moves again
    "hex4": SMALL,
    "othello4": SMALL,  # passes
    "go3": SMALL | {"ownership_weight": 1.0},
}
SEARCHES = {
    "puct": {"value_target_mix": 0.3},
    "gumbel": {"search": "gumbel", "max_considered_actions": 4},
    "forced": {"forced_playout_k": 2.0, "simulations": 20, "first_simulations": 20},
    "proves": {"use_solver": True, "simulations": 30, "first_simulations": 30},
    "gumbel proves": {"search": "gumbel", "use_solver": True, "simulations": 30,
                       "fast_simulations": 5},
    "keeps": {"reuse_tree": True, "symmetry": "random"},
    "keeps proofs": {"reuse_tree": True, "use_solver": True, "forced_playout_k": 2.0},
    "caps": {"full_search_prob": 0.4, "fast_simulations": 3},
    "surprise": {"surprise_fraction": 0.7},
    "everything": {"surprise_fraction": 0.7, "full_search_prob": 0.4, "fast_simulations": 3,
                   "use_solver": True, "reuse_tree": True, "value_target_mix": 0.5},
}  # fmt: skip


def compared(settings, num_moves, **options):
    """How many games both have finished; they are the same."""
    fast, readable = Watched(settings, **options), ReadableSelfPlay(settings)
    batch = evaluators(fast.game, "rough").batch
    fewer = settings.simulations - 1  # a call may ask for
    found = [play.play(batch, num_moves, fewer) for play in (fast, readable)]
    common = fast.ended.keys() & readable.ended.keys()
    for number in common:
        (mine, outcome), (theirs, result) = fast.ended[number], readable.ended[number]
        assert (mine.state, mine.ply, outcome) == (theirs.state, theirs.ply, result)
        assert len(mine.records) == len(theirs.records)
        for a, b in zip(mine.records, theirs.records, strict=True):
            assert (a.state, a.proven) == (b.state, b.proven)
            np.testing.assert_allclose(a.policy, b.policy, atol=1e-7)
            assert (a.root_value, a.surprise) == pytest.approx((b.root_value, b.surprise))
    if fast.ended.keys() == readable.ended.keys():
        (samples, counts), (others, expected) = found
        assert counts.samples == expected.samples
        assert counts.entropy == pytest.approx(expected.entropy, rel=1e-5)
        for name in ("games", "wins", "draws", "plies", "resigned", "decided", "played_out"):
            assert getattr(counts, name) == getattr(expected, name)
        rows = [sorted(zip(x.words.tolist(), x.value_target.tolist(), x.policy_target.tolist(),
                           strict=True)) for x in (samples, others)]  # fmt: skip
        for a, b in zip(*rows, strict=True):
            assert a[0] == b[0]
            assert a[1] == pytest.approx(b[1], abs=1e-6)
            np.testing.assert_allclose(a[2], b[2], atol=1e-6)
    return len(common)


@pytest.mark.parametrize("game", GAMES)
def test_in_every_game(game):
    settings = replace(TIC_TAC_TOE, game=game, num_games=4, **GAMES[game])
    assert compared(settings, 120) >= 4


@pytest.mark.parametrize("search", SEARCHES)
def test_with_every_search(search):
    settings = replace(TIC_TAC_TOE, num_games=4, **SEARCHES[search])
    assert compared(settings, 150) >= 10


def test_compiled():
    """Threads that share the games change nothing."""
    settings = replace(TIC_TAC_TOE, num_games=4, **SEARCHES["everything"])
    for num_threads in (1, 3):
        assert compared(settings, 300, compiled=True, num_threads=num_threads) >= 20


def test_where_sides_resign():
    """Values that are far from the truth, so that many give up too early, from some game on."""
    settings = replace(TIC_TAC_TOE, num_games=1, resign_rate=0.3, played_out_fraction=0.5)
    fast, readable = Watched(settings), ReadableSelfPlay(settings)
    batch = evaluators(fast.game, "rough").batch
    for _ in range(4):  # the threshold changes between two calls
        for play in (fast, readable):
            _, counts = play.play(batch, 200)
        assert fast.resignation.threshold == pytest.approx(readable.resignation.threshold)
    assert counts.resigned > 0
    assert fast.resignation.threshold > -1
    assert list(fast.resignation.lowest) == pytest.approx(list(readable.resignation.lowest))
    with pytest.raises(ValueError, match="simulations must be at most 12"):
        fast.play(batch, 1, 13)
