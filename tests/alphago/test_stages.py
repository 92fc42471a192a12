"""Stages: in order, each once, and what a failure leaves."""

import pytest

from azlearn.alphago.stages import is_done, read_stage, run_stages
from azlearn.learning import CorruptFileError


def first(folder, settings):
    (folder / "first.txt").write_text(settings["word"])
    return {"letters": len(settings["word"])}


def second(folder, settings):
    word = (folder / "first.txt").read_text()
    return {"doubled": word * 2, "letters": read_stage(folder, "first")["figures"]["letters"]}


def refused(folder, settings):
    raise ValueError("The number of moons is wrong.")


STAGES = {"first": first, "second": second}


def test_each_stage_in_order_and_once_and_a_failure_keeps_what_is_done(tmp_path):
    told = []
    options = {"started": told.append, "finished": lambda name, _: told.append((name, True))}
    with pytest.raises(ValueError, match="number of moons"):
        run_stages({"first": first, "second": refused}, tmp_path, {"word": "moon"}, **options)
    assert told == ["first", ("first", True), "second"]
    assert (is_done(tmp_path, "first"), is_done(tmp_path, "second")) == (True, False)
    run_stages(STAGES, tmp_path, {"word": "other"}, **options)
    assert told[3:] == ["second", ("second", True)]
    assert read_stage(tmp_path, "second")["figures"] == {"doubled": "moonmoon", "letters": 4}
    run_stages(STAGES, tmp_path, {"word": "other"}, **options)
    assert len(told) == 5


def test_damaged_figures_are_named(tmp_path):
    (tmp_path / "first.json").write_text('{"format": "other", "seconds": 1.0, "figures": {}}')
    for use in (lambda: read_stage(tmp_path, "first"), lambda: run_stages(STAGES, tmp_path, {})):
        with pytest.raises(CorruptFileError, match=r"first\.json has the format"):
            use()
    with pytest.raises(FileNotFoundError, match="The stage 'second' is not finished in"):
        read_stage(tmp_path, "second")
