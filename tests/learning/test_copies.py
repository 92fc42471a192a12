"""Processes with folders of their own: who shares one, how files travel, which copy counts."""

import multiprocessing
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from azlearn.learning import DamagedFile, Training, kept_networks, launch, ranks
from azlearn.learning.checkpoint import newest_everywhere
from azlearn.learning.ranks import Ranks
from azlearn.learning.run_log import RunLog, read_log
from tests.learning.children import PATIENCE, start_server
from tests.learning.tiny_runs import SETTINGS, assert_same, edit_summary, run


def together(number, function, *arguments):
    """What ``function(Ranks, *arguments)`` gives in each of so many processes, JSON-able."""
    start_server()
    context = multiprocessing.get_context("forkserver")
    answers, processes = context.Queue(), []
    with TemporaryDirectory() as folder:
        meeting = launch._meeting_point(Path(folder), number)
        for rank in range(number):
            environment = meeting | {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            what = (environment, answers, function, arguments)
            processes.append(context.Process(target=_one, args=what))
            processes[-1].start()
        found = dict(answers.get(timeout=PATIENCE) for _ in processes)
        for process in processes:
            process.join(PATIENCE)
    return [found[rank] for rank in range(number)]


def _one(environment, answers, function, arguments):
    os.environ.update(environment)
    us = Ranks.join("cpu")
    try:
        answers.put((us.rank, function(us, *arguments)))
    except (ValueError, OSError) as error:
        answers.put((us.rank, f"{type(error).__name__}: {error}"))
    us.wait()
    us.leave()


def share(us, folders):
    us = us.sharing(Path(folders[us.rank]))
    return [us.folders, us.firsts, us.is_first_here]


@pytest.mark.slow
def test_who_shares_a_folder_is_found_out(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    link = tmp_path / "link"  # another name of the same folder
    a.mkdir()
    link.symlink_to(a)
    found = together(4, share, [a, b, link, b])
    assert found == [
        [((0, 2), (1, 3)), (0, 1), is_first] for is_first in (True, True, False, False)
    ]
    assert list(a.iterdir()) == list(b.iterdir()) == []  # no mark is left
    found = together(2, share, [a, link])
    assert found == [[((0, 1),), (0,), True], [((0, 1),), (0,), False]]


def pass_on(us, root):
    ranks._PIECE = 1000
    out = Path(root) / str(us.rank)
    us = us.sharing(out)
    (out / f"{us.rank}.bin").write_bytes(bytes([us.rank]) * (2500 + us.rank))
    (out / f"empty{us.rank}").touch()
    for rank in us.firsts:
        us.pass_on(out / f"{rank}.bin", rank)
        us.pass_on(out / f"empty{rank}", rank, wanted=us.rank != 2)
        us.pass_on(out / "none", rank)
    return sorted((path.name, path.stat().st_size) for path in out.iterdir())


def test_files_travel_in_pieces(tmp_path):
    found = together(3, pass_on, tmp_path)
    files = [(f"{rank}.bin", 2500 + rank) for rank in range(3)]
    empty = [(f"empty{rank}", 0) for rank in range(3)]
    assert found == [files + empty, files + empty, files + empty[2:]]
    for rank in range(3):
        assert (tmp_path / "0" / f"{rank}.bin").read_bytes() == bytes([rank]) * (2500 + rank)


def tell(us):
    return us.tell({"rank": us.rank, "text": "ä" * us.rank})


def test_ranks_tell_each_other(tmp_path):
    said = [{"rank": rank, "text": "ä" * rank} for rank in range(3)]
    assert together(3, tell) == [said] * 3


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The folder of a run after its third iteration, and after its fifth."""
    root = tmp_path_factory.mktemp("copies")
    for name, stop_after in (("three", 3), ("five", 5)):
        (root / name).mkdir()
        log, settings = RunLog(root / name), SETTINGS.with_changes({"kept_networks": 2})
        run(root / name, stop_after=stop_after, report=log.add, settings=settings)
    return root


def bring(us, root):
    out = Path(root) / str(us.rank)
    return newest_everywhere(out, us.sharing(out))


def machines(original, root, *names):
    for number, name in enumerate(names):
        if name:
            shutil.copytree(original / name, root / str(number))
    return [root / str(number) for number in range(len(names))]


def test_the_newest_checkpoint_comes_to_all(original, tmp_path):
    outs = machines(original, tmp_path, "three", "five", None)
    assert together(3, bring, tmp_path) == [True] * 3
    for out in outs:
        assert_same(out, original / "five")
        assert [row["iteration"] for row in read_log(out)] == [1, 2, 3, 4, 5]
        assert (out / "network.safetensors").read_bytes() == (
            original / "five" / "network.safetensors"
        ).read_bytes()
        assert list(kept_networks(out)) == [0, 1, 2, 3, 4, 5]
        assert Training.resumed(out).counters.iteration == 5


def test_without_a_checkpoint_there_is_none(tmp_path):
    assert together(2, bring, tmp_path) == [False] * 2


def test_a_damaged_copy_is_replaced_by_a_whole_one_even_an_older(original, tmp_path):
    outs = machines(original, tmp_path, "five", "three")
    (outs[0] / "000005" / "training.safetensors").write_bytes(b"cut short")
    assert together(2, bring, tmp_path) == [True] * 2
    assert_same(outs[0], original / "three")


def test_if_all_copies_are_damaged_all_say_so(original, tmp_path):
    outs = machines(original, tmp_path, "five", None)
    (outs[0] / "000005" / "training.safetensors").write_bytes(b"cut short")
    first, second = together(2, bring, tmp_path)
    assert first == second
    assert first.startswith(f"{DamagedFile.__name__}: {outs[0]}/000005/training.safetensors")


def test_two_runs_are_not_mixed(original, tmp_path):
    outs = machines(original, tmp_path, "five", "three")
    edit_summary(outs[1], lambda summary: summary["settings"].update(seed=1))
    before = (outs[1] / "checkpoint.json").read_bytes()
    for said in together(2, bring, tmp_path):
        assert "holds different runs on the machines of ranks 0 and 1" in said
    assert (outs[1] / "checkpoint.json").read_bytes() == before


def test_of_two_that_came_equally_far_the_first_counts(original, tmp_path):
    outs = machines(original, tmp_path, "five", "five")
    edit_summary(outs[1], lambda summary: summary["counters"].update(games=1))
    together(2, bring, tmp_path)
    first, second = ((out / "checkpoint.json").read_bytes() for out in outs[:2])
    assert first == second


def test_a_log_that_came_from_elsewhere_is_shown_on_the_board(original, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    (out,) = machines(original, tmp_path, "five")
    shutil.rmtree(out / "tensorboard")
    RunLog(out, 5).add({"iteration": 6, "games": 99})
    board = EventAccumulator(str(out / "tensorboard")).Reload()
    games = [row["games"] for row in read_log(out)]
    assert [(event.step, event.value) for event in board.Scalars("games")] == list(
        zip(range(1, 7), games, strict=True)
    )
