"""The earlier networks of a run: which are kept, by what name, and through whatever happens."""

import json
import shutil

import pytest
import torch

from azlearn import arena
from azlearn.arena import measuring
from azlearn.cli import main
from azlearn.learning import list_snapshots, load_network
from azlearn.learning.files import save_network
from azlearn.learning.snapshots import should_keep_snapshot
from tests.learning.tiny_runs import SETTINGS
from tests.learning.tiny_runs import run as tiny_run

KEEPING = SETTINGS.with_changes({"snapshots_per_doubling": 2})


def run(out, **others):
    return tiny_run(out, iterations=10, settings=KEEPING, **others)


def weights(network) -> torch.Tensor:
    return torch.cat([tensor.double().flatten() for tensor in network.state_dict().values()])


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A run of ten iterations."""
    out = tmp_path_factory.mktemp("kept") / "run"
    return out, run(out)


@pytest.mark.parametrize(
    ("per_doubling", "kept"),
    [
        (0, []),
        (1, [0, 1, 2, 4, 8, 16, 32]),
        (2, [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32]),
        (4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32]),
    ],
)
def test_which_are_kept(per_doubling, kept):
    assert [i for i in range(33) if should_keep_snapshot(i, per_doubling)] == kept


def test_they_are_those_of_their_iterations_and_a_resumed_run_plays_them_again(done, tmp_path):
    out, training = done
    assert list(list_snapshots(out)) == [0, 1, 2, 3, 4, 6, 8, 10]
    again = tmp_path / "again"
    stopped, kept = run(again, stop_after=3), load_network(f"{out}:3")
    assert torch.equal(weights(kept.network), weights(stopped.network))
    assert kept.info["counters"]["iteration"] == 3
    assert torch.equal(weights(load_network(f"{out}:10").network), weights(training.network))
    assert not torch.equal(weights(load_network(f"{out}:8").network), weights(training.network))
    shutil.copy(out / "kept" / "8.safetensors", again / "kept" / "5.safetensors")  # a later one
    run(again)
    assert [*list_snapshots(again)] == [*list_snapshots(out)]
    for iteration in list_snapshots(out):
        mine, theirs = (load_network(f"{folder}:{iteration}").network for folder in (again, out))
        assert torch.equal(weights(mine), weights(theirs))


def test_their_strengths_over_time_and_their_names(done, tmp_path):
    out, training = done
    rows = list(arena.strength_over_time(out, "random", simulations=4, games=6, seed=2))
    assert [row["iteration"] for row in rows] == list(list_snapshots(out))
    games = [row["self_play_games"] for row in rows]
    assert games == sorted(games)
    opponent, name = arena.RandomPlayer(training.game), f"{out}:{rows[-2]['iteration']}"
    match = arena.play_match(f"{name}@4", opponent, games=6, seed=2)
    assert match.a == f"{name} 4"
    assert match.table().items() <= rows[-2].items()
    later = arena.strength_over_time(out, "random", simulations=0, games=2, after=6)
    assert [row["iteration"] for row in later] == [8, 10]
    with pytest.raises(ValueError, match="no run with a network"):
        next(arena.strength_over_time(tmp_path / "nothing"))


@pytest.mark.parametrize(("opponent", "simulations"), [("random", 0), ("random", 4), (None, 0)])
def test_a_run_may_train_while_its_networks_are_measured(done, tmp_path, opponent, simulations):
    """Its newest network is replaced meanwhile; the row is that of the network before."""
    out, _ = done
    options = {"simulations": simulations, "games": 4, "after": 6}
    expected = list(arena.strength_over_time(out, opponent, **options))
    copy = shutil.copytree(out, tmp_path / out.name)
    measured = arena.strength_over_time(copy, opponent, **options)
    rows = [next(measured)]
    later = load_network(f"{out}:2")
    later.info["counters"]["iteration"] = 60
    save_network(copy / "network.safetensors", "tictactoe", later.network, later.info)
    rows += measured
    for row in rows + expected:
        row.pop("a", None)  # the name of the player, with its folder
    assert rows == expected


def test_a_command_measures_what_was_there_when_it_started(done, tmp_path, monkeypatch, capsys):
    """The newest network comes first, before its run replaces it, but is shown last."""
    out, _ = done
    copy = shutil.copytree(out, tmp_path / out.name)
    measured, play_match = [], measuring.play_match

    def replaced(player, opponent, games, seed, **options):
        measured.append(player.name)
        (copy / "network.safetensors").unlink(missing_ok=True)
        return play_match(player, opponent, 2, seed, **options)

    monkeypatch.setattr(measuring, "play_match", replaced)
    command = ["evaluate", str(copy), "--over-time", "--simulations", "0", "2", "--json"]
    assert main(command) == 0
    shown = [row["player"] for row in json.loads(capsys.readouterr().out)]
    networks = [f"{copy}:{iteration}" for iteration in list_snapshots(out)]
    assert shown == [name for name in networks for _ in range(2)]
    assert measured[0].startswith(networks[-1])


def test_what_is_not_kept_is_one_sentence(done, tmp_path):
    out, _ = done
    for ask in (load_network, arena.make_player):
        with pytest.raises(ValueError, match=r"no network from iteration 5, .* 4, 6, 8, 10"):
            ask(f"{out}:5")
    with pytest.raises(FileNotFoundError, match="There is no network"):
        load_network(f"{tmp_path}/nothing:5")
    assert list(list_snapshots("connect4")) == [240]
