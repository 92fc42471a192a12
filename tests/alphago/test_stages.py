"""Stages: order, processes of their own, what a failure and a kill leave."""

import json
import os
import signal
import time

import pytest

from azlearn.alphago.stages import Stage, StageFailed, is_done, read_stage, run_stages
from azlearn.learning import DamagedFile
from tests.alphago.programs import HEARS_CTRL_C, stop


def first(folder, settings):
    (folder / "first.txt").write_text(settings["word"])
    return {"letters": len(settings["word"]), "process": os.getpid()}


def second(folder, settings):
    word = (folder / "first.txt").read_text()
    return {"doubled": word * 2, "letters": read_stage(folder, "first")["figures"]["letters"]}


def refused(folder, settings):
    raise ValueError("the number of moons is wrong.")


def crashes(folder, settings):
    os._exit(7)


def slow(folder, settings):
    (folder / "slow.started").touch()
    time.sleep(600)


def needs_disk(folder, settings):
    raise OSError(28, "No space left on device", str(folder / "big"))


FIRST = Stage("first", first)
SECOND = Stage("second", second, ("first",))


@pytest.mark.parametrize("processes", [1, 2])
def test_each_stage_after_those_it_needs_and_once(tmp_path, processes):
    told = []
    options = {"started": told.append, "finished": lambda name, seconds: told.append(seconds)}
    run_stages([SECOND, FIRST], tmp_path, {"word": "moon"}, processes, **options)
    assert [name for name in told if type(name) is str] == ["first", "second"]
    assert all(0 <= seconds < 600 for seconds in told if type(seconds) is not str)
    assert read_stage(tmp_path, "second")["figures"] == {"doubled": "moonmoon", "letters": 4}
    assert read_stage(tmp_path, "first")["figures"]["process"] != os.getpid()
    told.clear()
    run_stages([FIRST, SECOND], tmp_path, {"word": "other"}, processes, **options)
    assert told == []
    assert (tmp_path / "first.txt").read_text() == "moon"


@pytest.mark.slow
def test_those_go_first_on_which_most_wait(tmp_path):
    told, letters = [], FIRST.make
    stages = [
        Stage("alone", letters),
        Stage("end", letters, ("middle",)),
        Stage("middle", letters, ("beginning",)),
        Stage("short", letters, ("beginning",)),
        Stage("beginning", letters),
    ]
    run_stages(stages, tmp_path, {"word": "moon"}, 1, started=told.append)
    assert told == ["beginning", "middle", "alone", "end", "short"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (refused, "The stage 'third' failed: the number of moons is wrong."),
        (needs_disk, "No space left on device"),
        (crashes, "its process ended with exit code 7."),
    ],
)
def test_a_failure_is_one_sentence_and_keeps_what_is_done(tmp_path, make, words):
    stages = [FIRST, Stage("third", make, ("first",))]
    with pytest.raises(StageFailed) as caught:
        run_stages(stages, tmp_path, {"word": "moon"}, 1)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert is_done(tmp_path, "first")
    assert not is_done(tmp_path, "third")


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ([SECOND], "The stage 'second' needs first"),
        ([Stage("a", first, ("b",)), Stage("b", first, ("a",))], "a, b need each other"),
    ],
)
def test_impossible_needs_are_refused(tmp_path, stages, words):
    with pytest.raises(ValueError, match=words):
        run_stages(stages, tmp_path, {"word": "moon"}, 1)
    with pytest.raises(ValueError, match="processes must be at least 1"):
        run_stages([FIRST], tmp_path, {"word": "moon"}, 0)


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "4", '{"format": "azlearn stage 1"}', '{"format": "other"}', "{", "[" * 100_000,
        '{"format": "azlearn stage 1", "seconds": NaN, "figures": {}}',
        '{"format": "azlearn stage 1", "seconds": 1, "figures": []}',
    ],
    ids=lambda content: content[:50],
)  # fmt: skip
def test_damaged_figures_are_named(tmp_path, content):
    (tmp_path / "first.json").write_text(content)
    with pytest.raises(DamagedFile, match=r"first\.json is "):
        read_stage(tmp_path, "first")
    with pytest.raises(DamagedFile):
        run_stages([FIRST, SECOND], tmp_path, {"word": "moon"}, 1)
    with pytest.raises(FileNotFoundError, match="does not hold the stage 'second'"):
        read_stage(tmp_path, "second")


PROGRAM = f"""
import sys
from pathlib import Path
from azlearn.alphago.stages import Stage, run_stages
from tests.alphago.test_stages import FIRST, slow
if __name__ == "__main__":
    {HEARS_CTRL_C}
    stages = [FIRST, Stage("slow", slow, ("first",))]
    run_stages(stages, Path(sys.argv[1]), {{"word": "moon"}}, 2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_loses_the_stage_under_way_alone_and_leaves_no_process(tmp_path, how):
    script, out = tmp_path / "program.py", tmp_path / "out"
    script.write_text(PROGRAM)
    out.mkdir()
    stop(script, out, how, (out / "slow.started").exists)
    assert is_done(out, "first")
    assert not is_done(out, "slow")
    assert json.loads((out / "first.json").read_text())["figures"]["letters"] == 4
