"""Expert games: legal by another program's rules, the same in any order, whole after a kill."""

import multiprocessing
import re
import signal
import threading
from dataclasses import replace
from functools import partial

import pytest

from azlearn.alphago import ExpertSettings, play_expert_games, positions_of, read_expert_games
from azlearn.alphago.expert_games import GAMES_PER_PART, play_expert_game
from azlearn.alphago.pipeline import make_alphago
from azlearn.alphago.pipeline_settings import PipelineSettings
from azlearn.learning.files import CorruptFileError, exclusive_lock
from tests.alphago.programs import HEARS_CTRL_C, stop, wait_until

QUICK = ExpertSettings(
    game="tictactoe",
    num_games=2 * GAMES_PER_PART + 30,
    levels=(5, 20),
    temperature_plies=4,
    opening_plies=2,
)
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


@pytest.fixture
def copy(whole, tmp_path):
    """The same folder, to be damaged."""
    for name, content in contents(whole).items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


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


def test_levels_are_in_the_order_of_the_players():
    """300 rollouts a move beat one rollout a move, whoever begins."""
    records = [play_expert_game(CONNECT_FOUR, number) for number in range(40)]
    assert {record.levels for record in records} == {(1, 1), (1, 300), (300, 1), (300, 300)}
    strong_first = [record.result for record in records if record.levels == (300, 1)]
    strong_second = [-record.result for record in records if record.levels == (1, 300)]
    assert sum(strong_first) >= 0.7 * len(strong_first) > 0
    assert sum(strong_second) >= 0.7 * len(strong_second) > 0


def test_games_are_read_as_they_were_played(whole):
    records = read_expert_games(whole)
    assert [record.number for record in records] == list(range(QUICK.num_games))
    for number in (0, 99, 100, 137, 229):
        assert records[number] == play_expert_game(QUICK, number)
    assert len({record.moves for record in records}) > 100
    assert {record.random_plies for record in records} == {0, 1, 2}
    positions_of(QUICK.make_game(), records)  # which replays them all and compares the results
    assert play_expert_game(replace(QUICK, seed=1), 137) != records[137]


@pytest.mark.slow
def test_games_do_not_depend_on_the_number_of_processes(whole, tmp_path):
    records = play_expert_games(QUICK, tmp_path / "new", processes=2, progress=False)
    assert records == read_expert_games(whole)
    assert contents(tmp_path / "new") == contents(whole)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b'"moves": "1', b'"moves": "2', 1),
        lambda content: content.replace(b'"seed": 0', b'"seed": 5'),
        lambda content: b'{"format": "something else"}\n',
        lambda content: b"\xff" + content,
        None,  # in the place of it the part before
    ],
)
def test_a_damaged_part_is_named_and_its_games_are_played_again(whole, copy, damage):
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


def test_a_folder_of_other_settings_or_in_use_or_damaged_is_refused(copy, tmp_path):
    before = contents(copy)
    other = "num_games 230, not 7, levels [5, 20], not [5, 30]"
    with pytest.raises(ValueError, match=re.escape(other)):
        play_expert_games(replace(QUICK, levels=(5, 30), num_games=7), copy, processes=1)
    with exclusive_lock(copy), pytest.raises(ValueError, match="is in use"):
        play_expert_games(QUICK, copy, processes=1, progress=False)
    assert contents(copy) == before
    with pytest.raises(FileNotFoundError, match="holds no expert games"):
        read_expert_games(tmp_path / "nowhere")
    for content in (b"", b"{}", b'{"seed": -1}'):
        (copy / "settings.json").write_bytes(content)
        for use in (read_expert_games, partial(play_expert_games, QUICK, processes=1)):
            with pytest.raises(CorruptFileError, match=r"settings\.json is damaged or foreign"):
                use(copy)


@pytest.mark.parametrize(
    "make",
    [
        partial(play_expert_games, QUICK),
        lambda out, processes: make_alphago(out, PipelineSettings(), processes),
    ],
    ids=["games", "alphago"],
)
def test_a_folder_that_is_something_else_is_left_alone(tmp_path, make):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"is something else, it holds letter\.txt: use a new"):
        make(out=tmp_path, processes=1)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


SLOW_PROGRAM = f"""
import sys

from azlearn.alphago import ExpertSettings, play_expert_games
from tests.alphago.programs import slow_move

if __name__ == "__main__":
    {HEARS_CTRL_C}
    settings = ExpertSettings(game="tictactoe", num_games=300)
    play_expert_games(settings, sys.argv[1], processes=2, progress=False, expert=slow_move)
"""


@pytest.mark.slow
def test_ctrl_c_waits_for_a_game_and_not_for_a_part_of_slow_experts(tmp_path, monkeypatch):
    script, out, started = tmp_path / "program.py", tmp_path / "games", tmp_path / "started"
    script.write_text(SLOW_PROGRAM)
    monkeypatch.setenv("STARTED", str(started))
    stop(script, out, signal.SIGINT, started.exists)  # a part takes longer than its patience
    assert not list(out.glob("games_*.jsonl"))


@pytest.mark.slow
def test_a_killed_child_is_one_sentence(tmp_path):
    settings = ExpertSettings(num_games=1000, levels=(1000,))

    def kill_one():
        wait_until(lambda: list(tmp_path.glob("games_*.jsonl")))
        multiprocessing.active_children()[0].kill()

    thread = threading.Thread(target=kill_one)
    thread.start()
    with pytest.raises(ChildProcessError, match="was killed; the parts written so far are whole"):
        play_expert_games(settings, tmp_path, processes=2, progress=False)
    thread.join()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "chess"}, "game must be one of"),
        ({"levels": ()}, "levels must be one or more"),
        ({"levels": (200, 0)}, "levels must be whole numbers, 1 or more, not 0"),
        ({"opening_plies": 22}, "opening_plies must be at most 21 in connect4"),
    ],
)
def test_impossible_settings_are_named(changes, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ExpertSettings(**changes)
