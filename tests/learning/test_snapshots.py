"""The earlier networks of a run: which are kept, by what name, and through whatever happens."""

import errno
import shutil

import pytest
import torch

from azlearn import arena
from azlearn.learning import TrainingStopped, list_snapshots, load_network
from azlearn.learning.snapshots import should_keep_snapshot
from azlearn.search import MCTS, puct
from tests.learning.disk import Disk
from tests.learning.tiny_runs import SETTINGS
from tests.learning.tiny_runs import run as tiny_run

KEEPING = SETTINGS.with_changes({"snapshots_per_doubling": 2})


def run(out, **others):
    return tiny_run(out, iterations=10, **{"settings": KEEPING} | others)


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


def test_they_are_the_networks_of_their_iterations(done, tmp_path):
    out, training = done
    assert list(list_snapshots(out)) == [0, 1, 2, 3, 4, 6, 8, 10]
    for iteration in (0, 6):
        stopped = run(tmp_path / str(iteration), stop_after=iteration)
        kept = load_network(f"{out}:{iteration}")
        assert torch.equal(weights(kept.network), weights(stopped.network))
        assert kept.info["counters"]["iteration"] == iteration
    assert torch.equal(weights(load_network(f"{out}:10").network), weights(training.network))
    assert not torch.equal(weights(load_network(f"{out}:8").network), weights(training.network))


def test_their_names_work_where_names_of_networks_do(done):
    out, training = done
    early, newest = f"{out}:3", str(out)
    assert arena.make_player(f"{early}@5").name == f"{early} 5"
    match = arena.play_match(f"{early}@5", f"{newest}@5", games=4)
    assert (match.a, match.b) == (f"{early} 5", f"{newest} 5")
    visits = [
        MCTS(training.game, puct(), name).run(training.game.initial_state(), 5)
        for name in (early, newest)
    ]
    assert all(sum(tree.root.visit_counts) == 5 for tree in visits)


def test_strength_over_time_is_that_of_each_network(done, tmp_path):
    out, training = done
    rows = list(arena.strength_over_time(out, "random", simulations=4, games=6, seed=2))
    assert [row["iteration"] for row in rows] == list(list_snapshots(out))
    assert [row["self_play_games"] for row in rows] == sorted(
        row["self_play_games"] for row in rows
    )
    for row in (rows[0], rows[-1]):
        opponent = arena.RandomPlayer(training.game)
        again = arena.play_match(f"{out}:{row['iteration']}@4", opponent, games=6, seed=2).table()
        assert {name: row[name] for name in again} == again
    later = arena.strength_over_time(out, "random", simulations=0, games=2, after=6)
    assert [row["iteration"] for row in later] == [8, 10]
    with pytest.raises(ValueError, match="no run with a network"):
        next(arena.strength_over_time(tmp_path / "nothing"))


def test_what_is_not_kept_is_one_sentence(done, tmp_path):
    out, _ = done
    for ask in (load_network, arena.make_player):
        with pytest.raises(ValueError, match=r"no network of iteration 5: .* 4, 6, 8, 10"):
            ask(f"{out}:5")
    with pytest.raises(FileNotFoundError, match="There is no network"):
        load_network(f"{tmp_path}/nothing:5")
    assert list(list_snapshots("connect4")) == [240]


def test_a_resumed_run_plays_later_ones_again(done, tmp_path):
    out, _ = done
    again = tmp_path / "again"
    run(again, stop_after=3)
    shutil.copy(out / "kept" / "8.safetensors", again / "kept" / "5.safetensors")
    unfinished = again / "kept" / "2.safetensors.0123456789abcdef.partial"
    unfinished.write_bytes(b"of a process that was killed")
    notes = again / "kept" / "2024.txt"
    notes.write_text("the reader's")
    run(again)
    assert notes.read_text() == "the reader's"
    notes.unlink()
    names = [sorted(path.name for path in (each / "kept").iterdir()) for each in (again, out)]
    assert names[0] == names[1]
    for iteration in list_snapshots(out):
        mine, theirs = (load_network(f"{folder}:{iteration}").network for folder in (again, out))
        assert torch.equal(weights(mine), weights(theirs))


def test_without_room_for_one_the_run_stops_with_a_sentence(tmp_path):
    out, full = tmp_path / "run", OSError(errno.ENOSPC, "No space left on device")
    run(out, stop_after=2)
    disk = Disk()
    with disk.in_use():
        run(out, stop_after=3)
    number = disk.steps.index("write 2.safetensors.partial")  # kept again, first of all
    shutil.rmtree(out)
    run(out, stop_after=2)
    said = r"No space left .* iteration 2 in .* is whole"
    with pytest.raises(TrainingStopped, match=said), Disk(number, full).in_use():
        run(out, stop_after=3)
    run(out)
    assert list(list_snapshots(out)) == [0, 1, 2, 3, 4, 6, 8, 10]
