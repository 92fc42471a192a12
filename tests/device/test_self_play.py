"""Self-play on a device is that of the host, game by game, with the same dice."""

import numpy as np
import pytest
import torch

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import self_play as module
from azlearn.learning.device.ring import Ring
from azlearn.learning.device.self_play import DeviceSelfPlay
from azlearn.learning.replay import ReplayBuffer
from tests.device.host_twin import HostTwin
from tests.device.small import Hashed, a_readers_game
from tests.device.small_runs import small
from tests.engines import evaluators


@pytest.fixture(autouse=True)
def few_openings(monkeypatch):
    """Drawing all of them takes a second."""
    monkeypatch.setattr(module, "NUM_OPENINGS", 128)


def rough(game):
    """Values that fill all bits, worked out by NumPy."""
    evaluate = evaluators(game, "rough").batch

    def on_device(states, legal_mask):
        words = game.State(*(word.cpu().numpy() for word in states))
        return tuple(torch.from_numpy(x).to(states[0].device) for x in evaluate(words))

    return on_device


def pair(settings, kind="hash", device="cpu", how="python", ranks=(0, 1)):
    """Device and host, with the same evaluations and openings."""
    game = settings.make_game()
    evaluate = Hashed(TensorGame(game, device)) if kind == "hash" else rough(game)
    ring = Ring(game, settings.window, device)
    mine = DeviceSelfPlay(settings, evaluate, ring, *ranks, how=how, dtype=torch.float64)
    return mine, HostTwin(settings, mine._openings, *ranks), evaluators(game, kind).batch


def rows_of(samples, start=0, stop=None):
    """Samples as sorted tuples of numbers: (words, policy, value)."""
    columns = [column[start:stop].tolist() for column in samples]
    return sorted(zip(*columns, strict=True))


def assert_play_alike(mine, host, evaluate, calls, rounds):
    """Statistics and samples of every call, and in the end the games under way: all equal."""
    total = 0
    for _ in range(calls):
        before = int(mine.ring.num_added)
        moves = rounds * len(host.games)
        found = vars(mine.play(moves))
        samples, right = host.play(evaluate, moves)
        right = vars(right)
        assert found.pop("evaluations") == moves * (1 + mine.settings.simulations)
        del right["evaluations"]
        assert found.pop("entropy") == pytest.approx(right.pop("entropy"))
        assert found == right
        assert int(mine.ring.num_added) - before == len(samples.words) == right["samples"]
        stored = mine.ring.state_dict()
        held = [stored[name] for name in ("words", "policy_target", "value_target")]
        assert rows_of(held, -len(samples.words) or len(held[0])) == rows_of(samples)
        total += len(samples.words)
    assert_same_state(mine.state_dict(), host.state_dict())
    return total


def assert_same_state(found, right):
    assert found.keys() == right.keys()
    for name, value in right.items():
        if name == "resignation.lowest":  # of games that end together in another order
            # … and with a sum over the moves that NumPy rounds in another way.
            assert sorted(found[name].tolist()) == pytest.approx(sorted(value.tolist()), abs=1e-14)
        elif isinstance(value, torch.Tensor):
            torch.testing.assert_close(found[name], value, rtol=0, atol=1e-14)
        else:
            assert found[name] == value, name


GAMES = {
    "connect4": {"num_games": 6, "simulations": 20, "first_simulations": 20},
    "tictactoe": {"num_games": 9},
    "dots_and_boxes:2x2": {},
    "othello:6": {"num_games": 4, "simulations": 8, "first_simulations": 8},
    "hex:4": {},
}


@pytest.mark.parametrize("game", GAMES)
def test_every_sample_of_every_game_is_the_hosts(game, device):
    settings = small(game, **GAMES[game])
    calls = 48 // settings.num_games
    assert assert_play_alike(*pair(settings, "rough", device), calls, 6) > 100


def test_a_readers_own_game_too(tmp_path, device):
    a_readers_game(tmp_path)
    settings = small(f"{tmp_path / 'race.py'}:Race", window=2000)
    assert assert_play_alike(*pair(settings, "rough", device), 5, 6) > 100


@pytest.mark.parametrize("game", ["connect4", "tictactoe", "dots_and_boxes:2x2"])
def test_recorded_it_plays_the_same(game, recorded):
    settings = small(game, **GAMES[game])
    assert assert_play_alike(*pair(settings, "hash", *recorded), 5, 8) > 50


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature_plies": 0}, {"temperature_plies": 40}, {"opening_share": 0.0},
        {"opening_share": 1.0}, {"noise_fraction": 0.0}, {"noise_total": 1.0},
        {"root_value_share": 0.0}, {"root_value_share": 1.0}, {"num_games": 1},
        {"c": 0.0}, {"seed": 2**63 - 1}, {"played_out_share": 1.0}, {"search": "gumbel"},
        {"search": "gumbel", "considered": 3, "c_scale": 0.1},
    ],
    ids=str,
)  # fmt: skip
def test_whatever_the_settings(changes):
    settings = small("tictactoe", **changes)
    assert assert_play_alike(*pair(settings, "rough"), 3, 12) > 20


def test_several_ranks_share_the_numbers_of_the_games():
    settings = small("tictactoe")
    numbers = set()
    for rank in range(3):
        mine, host, evaluate = pair(settings, "hash", ranks=(rank, 3))
        assert_play_alike(mine, host, evaluate, 2, 10)
        under_way = mine.state_dict()["games.number"].tolist()
        assert all(number % 3 == rank for number in under_way)
        numbers |= set(under_way)
    assert len(numbers) == 3 * settings.num_games


@pytest.mark.parametrize("game", ["tictactoe", "dots_and_boxes:2x2"])
def test_resignation_as_on_the_host(game, recorded):
    """The threshold rises after 50 games that were played out; then games are given up."""
    settings = small(
        game, num_games=32, resign_rate=0.4, played_out_share=0.5, simulations=8,
        first_simulations=8, window=8000,
    )  # fmt: skip
    mine, host, evaluate = pair(settings, "hash", *recorded)
    assert_play_alike(mine, host, evaluate, 8, 6)
    assert mine.resignation.threshold == host.resignation.threshold > -1
    found, right = mine.play(32 * 12), host.play(evaluate, 32 * 12)[1]
    assert found.resigned == right.resigned > 0
    assert found.false_resignations == right.false_resignations > 0
    assert found.played_out == right.played_out > 0


def test_what_resigning_remembers_has_an_end(monkeypatch):
    """More games played out than are remembered, in one call and over several."""
    monkeypatch.setattr(module, "MEMORY", 20)
    settings = small("tictactoe", num_games=32, resign_rate=0.2, played_out_share=1.0,
                     simulations=4, first_simulations=4, window=8000)  # fmt: skip
    mine, _, _ = pair(settings)
    for _ in range(3):
        mine.play(32 * 11)
        assert len(mine.resignation.lowest) == 20
        assert all(-1 <= value <= 1 for value in mine.resignation.lowest)
    assert int(mine._num_calm) > 60


def test_games_go_on_from_a_checkpoint_as_if_nothing_had_been(device):
    settings = small("dots_and_boxes:2x2")
    straight, _, _ = pair(settings, "hash", device)
    first, _, _ = pair(settings, "hash", device)
    again, _, _ = pair(settings, "hash", device)
    for run in (straight, first):
        run.play(8 * 7)
    trees = again.trees
    again.load_state_dict(first.state_dict())
    assert again.trees is trees, "there is memory for as many games already"
    again.ring.load_state_dict(first.ring.state_dict())
    assert_same_state(again.state_dict(), straight.state_dict())
    for run in (straight, again):
        run.play(8 * 9)
    assert_same_state(again.state_dict(), straight.state_dict())
    for name, column in straight.ring.state_dict().items():
        assert np.array_equal(again.ring.state_dict()[name], column), name


@pytest.mark.parametrize("game", ["connect4", "dots_and_boxes:2x2"])
def test_host_and_device_take_over_each_others_games(game, device):
    """Begun on the host, gone on with on the device, and back: all as on the host alone."""
    settings = small(game, resign_rate=0.1, played_out_share=0.5)
    mine, host, evaluate = pair(settings, "hash", device)
    changing = HostTwin(settings, mine._openings)
    buffer, ring = ReplayBuffer(host.game, settings.window), mine.ring
    for number in range(4):
        host_samples, _ = host.play(evaluate, 8 * 9)
        if number % 2:
            mine.load_state_dict(changing.state_dict())
            ring.load_state_dict(buffer.state_dict())
            mine.play(8 * 9)
            assert ring.num_added == buffer.num_added + len(host_samples.words)
            changing = HostTwin(settings, mine._openings)
            changing.load_state_dict(mine.state_dict())
            buffer = ReplayBuffer(host.game, settings.window)
            buffer.load_state_dict(ring.state_dict())
        else:
            samples, _ = changing.play(evaluate, 8 * 9)
            buffer.add(samples)
            assert rows_of(samples) == rows_of(host_samples)
        assert_same_state(changing.state_dict(), host.state_dict())
        held = len(host_samples.words)
        assert rows_of(buffer.contents(), len(buffer) - held) == rows_of(host_samples)
    assert buffer.num_added > 0


def test_more_stored_games_than_slots_all_get_one_and_fewer_are_joined_by_new_ones():
    settings = small("tictactoe", num_games=12)
    many, _, _ = pair(settings)
    many.play(12 * 3)
    state = many.state_dict()
    for slots in (5, 20):
        mine, _, _ = pair(small("tictactoe", num_games=slots))
        mine.load_state_dict(state)
        found = mine.state_dict()
        assert len(found["games.number"]) == max(12, slots)
        assert found["games.number"][:12].tolist() == state["games.number"].tolist()
        assert torch.equal(found["records.policy"], state["records.policy"])
        assert len(set(found["games.number"].tolist())) == max(12, slots)
        assert found["next_number"] == state["next_number"] + max(0, slots - 12)
        assert mine.play(max(12, slots) * 9).games >= 12


def test_openings_are_positions_of_so_many_plies():
    settings = small("connect4", opening_share=0.5, opening_plies=8)
    mine, _, _ = pair(settings)
    game, (states, plies) = settings.make_game(), mine._openings
    counts = np.bincount(plies, minlength=9)
    for words, ply in zip(states.tolist(), plies.tolist(), strict=True):
        state = game.state_of(words)
        assert game.outcome(state) is None
        assert game.num_plies(state) == ply
    assert 30 < counts[0] < 98  # half of 128
    assert (counts[1:] > 0).sum() >= 6


def test_a_window_too_small_for_all_games_at_once_is_refused():
    with pytest.raises(ValueError, match=r"window must be at least 336 for 8 games.*not 335"):
        pair(small("connect4", window=335))


def test_a_network_that_answers_nan_is_one_clear_sentence(device):
    settings = small("tictactoe")
    game = settings.make_game()

    class Damaged(Hashed):
        damaged = torch.zeros((), dtype=torch.bool, device=device)

        def __call__(self, states, legal_mask=None):
            self.damaged |= (states.me != 0).any()  # from the second move on
            return super().__call__(states)

    ring = Ring(game, settings.window, device)
    mine = DeviceSelfPlay(settings, Damaged(TensorGame(game, device)), ring)
    with pytest.raises(ValueError, match="The network answers NaN: its weights are damaged"):
        mine.play(8 * 4)


@pytest.mark.parametrize("simulations", [0, 21])
def test_more_simulations_than_there_is_room_for_are_refused(simulations):
    settings = small("tictactoe", simulations=20, first_simulations=1)
    play, _, _ = pair(settings)
    with pytest.raises(ValueError, match=f"simulations must be 1 to 20, not {simulations}"):
        play.play(8, simulations)
