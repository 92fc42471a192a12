"""Expert games: legal by another program's rules, the same in any order, whole after a kill."""

import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial

import pytest

from azlearn.alphago import ExpertSettings, play_expert_games, positions_of, read_expert_games
from azlearn.alphago.expert_games import GAMES_PER_PART, play_expert_game
from azlearn.alphago.pipeline import make_alphago
from azlearn.alphago.pipeline_settings import PipelineSettings
from azlearn.learning.files import CorruptFileError, exclusive_lock
from tests.learning.children import PATIENCE, living

QUICK = ExpertSettings(
    game="tictactoe", num_games=2 * GAMES_PER_PART + 30, levels=(5, 20), temperature_plies=4,
    opening_plies=2,
)  # fmt: skip
CONNECT_FOUR = ExpertSettings(num_games=40, levels=(1, 300), temperature_plies=2)


def contents(folder):
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with all games of ``QUICK``."""
    folder = tmp_path_factory.mktemp("games") / "quick"
    play_expert_games(QUICK, folder, processes=1, progress=False)
    return folder


@pytest.mark.parametrize(
    ("settings", "peer"), [(QUICK, "tic_tac_toe"), (CONNECT_FOUR, "connect_four")]
)
def test_games_and_results_are_those_of_open_spiel_s_rules(settings, peer):
    pyspiel = pytest.importorskip("pyspiel")
    rules = pyspiel.load_game(peer)
    for number in range(40):
        record, state = play_expert_game(settings, number), rules.new_initial_state()
        for move in record.moves:
            assert int(move) - 1 in state.legal_actions()
            state.apply_action(int(move) - 1)
        assert state.is_terminal()
        assert record.result == state.returns()[0]


def test_games_are_read_as_they_were_played(whole):
    records = read_expert_games(whole)
    assert [record.number for record in records] == list(range(QUICK.num_games))
    for number in (0, 99, 100, 137, 229):
        assert records[number] == play_expert_game(QUICK, number)
    assert len({record.moves for record in records}) > 100
    assert {record.random_plies for record in records} == {0, 1, 2}
    positions_of(QUICK.make_game(), records)  # which replays them all and compares the results
    assert play_expert_game(replace(QUICK, seed=1), 137) != records[137]


def test_levels_are_in_the_order_of_the_players():
    """300 rollouts a move beat one rollout a move, whoever begins."""
    records = [play_expert_game(CONNECT_FOUR, number) for number in range(40)]
    assert {record.levels for record in records} == {(1, 1), (1, 300), (300, 1), (300, 300)}
    for sign, levels in ((1, (300, 1)), (-1, (1, 300))):
        of_the_strong = [sign * record.result for record in records if record.levels == levels]
        assert sum(of_the_strong) >= 0.7 * len(of_the_strong) > 0


@pytest.mark.slow
def test_games_do_not_depend_on_the_number_of_processes(whole, tmp_path):
    records = play_expert_games(QUICK, tmp_path / "new", processes=2, progress=False)
    assert records == read_expert_games(whole)
    assert contents(tmp_path / "new") == contents(whole)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b'"format": "', b'"format": "no '),
        None,  # in the place of it the part before
    ],
)
def test_a_damaged_part_is_named_and_its_games_are_played_again(whole, tmp_path, damage):
    copy = shutil.copytree(whole, tmp_path / "copy")
    before, path, *_ = sorted(copy.glob("games_*"))
    path.write_bytes(damage(path.read_bytes()) if damage else before.read_bytes())
    for use in (read_expert_games, lambda folder: play_expert_games(QUICK, folder, processes=1)):
        with pytest.raises(
            CorruptFileError, match=f"{re.escape(str(path))} .* Delete it: its games"
        ):
            use(copy)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=f"{path} is not there yet"):
        read_expert_games(copy)
    others = {p: p.stat().st_mtime_ns for p in copy.iterdir()}
    play_expert_games(QUICK, copy, processes=1, progress=False)
    assert contents(copy) == contents(whole)
    assert others.items() <= {p: p.stat().st_mtime_ns for p in copy.iterdir()}.items()


def test_what_cannot_be_is_refused_and_changes_nothing(whole, tmp_path):
    before = contents(whole)
    other = "num_games 230, not 7, levels [5, 20], not [5, 30]"
    with pytest.raises(ValueError, match=re.escape(other)):
        play_expert_games(replace(QUICK, levels=(5, 30), num_games=7), whole, processes=1)
    with exclusive_lock(whole), pytest.raises(ValueError, match="is in use"):
        play_expert_games(QUICK, whole, processes=1, progress=False)
    assert contents(whole) == before
    with pytest.raises(FileNotFoundError, match="holds no expert games"):
        read_expert_games(tmp_path)
    for make in (
        partial(play_expert_games, QUICK),
        partial(make_alphago, settings=PipelineSettings()),
    ):
        (tmp_path / "letter.txt").write_text("mine")
        with pytest.raises(ValueError, match=r"is something else, it holds letter\.txt: use a new"):
            make(tmp_path, processes=1)
        assert list(contents(tmp_path)) == ["letter.txt"]
    (tmp_path / "letter.txt").unlink()
    (tmp_path / "settings.json").write_text('{"seed": -1}')
    for use in (read_expert_games, partial(play_expert_games, QUICK, processes=1)):
        with pytest.raises(CorruptFileError, match=r"settings\.json is damaged or "):
            use(tmp_path)
    with pytest.raises(ValueError, match="levels must be whole numbers, 1 or more, not 0"):
        ExpertSettings(levels=(200, 0))
    with pytest.raises(ValueError, match="opening_plies must be at most 21 in connect4"):
        ExpertSettings(opening_plies=22)


@pytest.mark.slow
def test_ctrl_c_waits_for_a_game_and_not_for_a_part(tmp_path):
    """Of 100 games, which take five seconds each, or so."""
    words = ["azlearn", "alphago", "--processes", "2", "--set", "levels=40000", "--out", tmp_path]
    process = subprocess.Popen(
        [sys.executable, "-m", *words], start_new_session=True,
        # What a shell starts in its background is deaf to Ctrl-C, and so is what that starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    while len(living(process.pid)) < 4:  # with multiprocessing's own
        assert process.poll() is None
    time.sleep(2)  # nobody hears it while the processes start
    os.killpg(process.pid, signal.SIGINT)
    process.wait(PATIENCE)  # a part takes longer
    assert not list(tmp_path.rglob("games_*.jsonl"))


@pytest.mark.slow
def test_a_killed_child_is_one_sentence(tmp_path):
    settings = ExpertSettings(num_games=1000, levels=(1000,))

    def kill_one():
        while not list(tmp_path.glob("games_*.jsonl")):
            time.sleep(0.01)
        multiprocessing.active_children()[0].kill()

    thread = threading.Thread(target=kill_one)
    thread.start()
    with pytest.raises(ChildProcessError, match="was killed; the parts written so far are whole"):
        play_expert_games(settings, tmp_path, processes=2, progress=False)
    thread.join()
