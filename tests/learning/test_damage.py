"""Files that are cut short, foreign, missing or edited: one sentence that names the file."""

import json
import os
import pickle
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from azlearn.learning import (
    Budget,
    Counters,
    DamagedFile,
    ResNet,
    Training,
    load_network,
    save_network,
)
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.files import kept_networks, read_tensors
from tests.learning.tiny_runs import SETTINGS, edit_summary, run

FILES = ("rank0.safetensors", "training.safetensors", "checkpoint.json", "network.safetensors")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    out = tmp_path_factory.mktemp("original") / "run"
    run(out, stop_after=4)
    return out


@pytest.fixture
def out(original, tmp_path):
    return shutil.copytree(original, tmp_path / "run")


def find(out, name):
    return out / ("000004" if name in FILES[:2] else "") / name


def read(out, name):
    """Uses the file of that name as a reader would: goes on with the run, or loads its network."""
    return load_network(out) if name == "network.safetensors" else Training.resumed(out)


def sign(out, path):
    """So that the checksum is right and something deeper must refuse the file."""
    checksum = sha256(path.read_bytes()).hexdigest()
    edit_summary(out, lambda summary: summary["sha256"].update({path.name: checksum}))


@pytest.mark.parametrize("name", FILES[:2])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_one_flipped_bit_is_found(out, name, share):
    path = find(out, name)
    content = bytearray(path.read_bytes())
    content[int(share * len(content))] ^= 1
    path.write_bytes(content)
    assert f"{path} is damaged" in refusal(out, name)


def refusal(out, name, error=DamagedFile) -> str:
    with pytest.raises(error) as caught:
        read(out, name)
    assert type(caught.value) is error
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert str(find(out, name)) in message or str(out) in message
    return message


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0, 0.01, 0.3, 0.9, 1])
@pytest.mark.parametrize("more", [0, 1, 8, -1])
def test_a_file_cut_short_is_refused(out, name, share, more):
    path = find(out, name)
    content = path.read_bytes()
    length = min(max(int(share * len(content)) + more, 0), len(content) - 1)
    path.write_bytes(content[:length])
    assert str(path) in refusal(out, name)


def as_pickle(length):
    content = pickle.dumps({"network": [1.0] * (length // 9)})
    return content[:length].ljust(length, b"\0")


def as_torch_file(length, tmp_path):
    torch.save({"network": torch.zeros(10)}, tmp_path / "a.pt")
    return (tmp_path / "a.pt").read_bytes()[:length].ljust(length, b"\0")


def as_noise(length):
    return np.random.default_rng(0).bytes(length)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["pickle", "torch.save", "noise", "zeros"])
def test_other_content_of_the_same_length_is_refused(out, name, kind, tmp_path):
    path = find(out, name)
    length = path.stat().st_size
    path.write_bytes(
        {
            "pickle": as_pickle(length),
            "torch.save": as_torch_file(length, tmp_path),
            "noise": as_noise(length),
            "zeros": bytes(length),
        }[kind]
    )
    assert str(path) in refusal(out, name)


@pytest.mark.parametrize("name", FILES)
def test_a_pickle_that_would_run_code_does_not(out, name, tmp_path):
    class Payload:
        def __reduce__(self):
            return (tmp_path.joinpath("ran").touch, ())

    path = find(out, name)
    content = pickle.dumps(Payload())
    pickle.loads(content)
    assert (tmp_path / "ran").exists()
    (tmp_path / "ran").unlink()

    path.write_bytes(content)
    if path.parent != out:
        sign(out, path)
    refusal(out, name)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["rank0.safetensors", "training.safetensors", FILES[3]])
@pytest.mark.parametrize("tensors", [{}, {"weight": torch.zeros(3)}, "the other file"])
def test_safetensors_of_another_project_are_refused(out, name, tensors):
    path = find(out, name)
    if tensors == "the other file":
        other = {"rank0.safetensors": "training.safetensors"}.get(name, "rank0.safetensors")
        shutil.copy(find(out, other), path)
    else:
        save_file(tensors, path)
    if path.parent != out:
        sign(out, path)
    assert str(path) in refusal(out, name)


@pytest.mark.parametrize("name", FILES[:2])
def test_a_missing_file_is_said_to_be_missing(out, name):
    find(out, name).unlink()
    assert f"{find(out, name)} is missing" in refusal(out, name)


def test_a_folder_without_a_run_is_refused(out, tmp_path):
    (out / "checkpoint.json").unlink()
    assert "there is nothing to go on with" in refusal(out, "checkpoint.json", FileNotFoundError)
    (out / "network.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="There is no network"):
        load_network(out)
    with pytest.raises(FileNotFoundError, match="nothing to go on with"):
        Training.resumed(tmp_path / "nowhere")


def test_a_missing_folder_of_the_checkpoint_is_refused(out):
    shutil.rmtree(out / "000004")
    assert "is missing" in refusal(out, "checkpoint.json")


@pytest.mark.parametrize(
    "content",
    [
        "[]", "4", '"text"', "null", "{}", "[" * 100_000, "9" * 5000, '"\\ud800"',
        '{"format": "azlearn checkpoint 1"}',
        '{"format": "azlearn checkpoint 2"}', "{'format': 1}", '{"name": "a package"}',
    ],
    ids=lambda content: content[:30],
)  # fmt: skip
def test_json_of_another_kind_is_refused(out, content):
    (out / "checkpoint.json").write_text(content)
    assert "checkpoint.json" in refusal(out, "checkpoint.json")


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"seed": "x"}},
        {"settings": {"colour": 1}},
        {"settings": {"game": "chess"}},
        {"budget": {"minutes": None, "iterations": None}},
        {"budget": {"hours": 1}},
        {"counters": {"wins": 1}},
        {"counters": {"iteration": "many"}},
        {"world_size": "two"},
        {"folder": 4},
        {"folder": "../elsewhere"},
        {"folder": "000003"},
        {"counters": []},
        {"counters": {"iteration": 4, "minutes": "soon"}},
        {"counters": {"iteration": 4, "games": [1]}},
        {"counters": {"iteration": 4, "minutes": float("nan")}},
        {"counters": {"iteration": 10**30}},
        {"world_size": None},
        {"world_size": 1.0},
        {"budget": {"minutes": "long"}},
        {"budget": {"iterations": 1.5}},
        {"settings": []},
        {"settings": {"network": []}},
        {"sha256": {"training.safetensors": 1}},
        {"sha256": 3},
    ],
    ids=str,
)
def test_a_checkpoint_with_an_impossible_entry_is_refused(out, change):
    edit_summary(out, lambda summary: summary.update(change))
    assert "checkpoint.json is damaged or foreign" in refusal(out, "checkpoint.json")


@pytest.mark.parametrize("change", [{"game": "connect4"}, {"network": "small"}])
def test_a_checkpoint_of_another_game_or_size_does_not_fit(out, change):
    edit_summary(out, lambda summary: summary["settings"].update(change))
    assert "does not fit the settings of the run" in refusal(out, "checkpoint.json")


def test_a_checkpoint_without_the_gates_network_does_not_fit(out):
    edit_summary(out, lambda summary: summary["settings"].update(gate_games=10))
    assert "does not fit the settings of the run" in refusal(out, "training.safetensors")


def test_the_part_of_a_rank_that_is_not_there_is_missed(out):
    edit_summary(out, lambda summary: summary.update(world_size=3))
    assert "its files are not those of its ranks" in refusal(out, "checkpoint.json")


def test_a_refused_checkpoint_is_left_as_it_is(out):
    path = find(out, "training.safetensors")
    path.write_bytes(path.read_bytes()[:-1])
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    refusal(out, "training.safetensors")
    assert before == {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "change",
    [{"game": "chess"}, {"game": "connect4"}, {"size": {}}, {"size": {"channels": 16, "blocks": 3}},
     {"size": {"channels": -1, "blocks": 1}}, {"size": 7}, {"format": "azlearn network 9"},
     {"game": []}, {"game": {"a": 1}}, {"game": 10**400}, {"game": "\ud800"}, {"game": "x" * 5000},
     {"size": {"channels": 16, "blocks": 10**6}}, {"size": {"channels": 10**6, "blocks": 2}},
     {"size": {"channels": 16, "blocks": 2.0}}, {"size": {"channels": True, "blocks": 2}},
     {"size": {"channels": 10**30, "blocks": 2}}, {"info": []}, {"info": {"counters": []}},
     {"info": {"counters": {"iteration": "x"}}}, {"format": []}],
)  # fmt: skip
def test_a_network_that_is_not_what_its_header_says_is_refused(out, change):
    from safetensors import safe_open

    path = out / "network.safetensors"
    with safe_open(path, "pt") as file:
        about = json.loads(file.metadata()["about"])
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    save_file(tensors, path, {"about": json.dumps(about | change)})
    refusal(out, "network.safetensors")
    with suppress(DamagedFile):  # as a list of a run's networks
        assert list(kept_networks(out)) in ([0], [4])
    save_file(tensors, path, {"about": json.dumps(about)})
    assert load_network(path).info["settings"]["seed"] == 0


@pytest.mark.parametrize(
    "about",
    ["[]", "[1]", "3", "not JSON", "{}", '{"format": 1}', "[" * 100_000, '{"n": ' * 100_000],
)
def test_a_network_with_a_foreign_header_is_refused(out, about):
    save_file({"a": torch.zeros(1)}, out / "network.safetensors", {"about": about})
    refusal(out, "network.safetensors")


def test_whole_numbers_are_no_weights(out):
    path = out / "network.safetensors"
    tensors, about = read_tensors(path)
    save_file({name: x.int() for name, x in tensors.items()}, path, {"about": json.dumps(about)})
    assert "other shapes or types" in refusal(out, "network.safetensors")


def test_a_byte_order_mark_does_no_harm(out):
    path = out / "checkpoint.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert Training.resumed(out).counters.iteration == 4


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def changed_somewhere(data, value):
    """The value with anything in one place, which lies deep as often as not."""
    if isinstance(value, (dict, list)) and value and data.draw(st.integers(0, 3)):
        copy = value.copy()
        at = data.draw(st.sampled_from([*value] if isinstance(value, dict) else range(len(value))))
        copy[at] = changed_somewhere(data, value[at])
        return copy
    return data.draw(ANYTHING)


@given(st.data())
@settings(max_examples=200)
def test_anything_anywhere_in_a_summary_is_read_or_refused(original, data):
    summary = json.loads((original / "checkpoint.json").read_text())
    summary.pop("checksum")
    changed = json.dumps(changed_somewhere(data, summary))
    with TemporaryDirectory() as folder:
        out = Path(folder)
        (out / "000004").symlink_to(original / "000004")
        (out / "checkpoint.json").write_text(changed)
        with suppress(DamagedFile):
            found = read_summary(out)
            assert found["counters"]["iteration"] == 4
            Budget(**found["budget"]).spent(Counters(**found["counters"]))


@given(st.data())
@settings(max_examples=100)
def test_anything_anywhere_in_a_networks_header_is_read_or_refused(original, data):
    tensors, about = read_tensors(original / "network.safetensors")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.safetensors"
        save_file(tensors, path, {"about": json.dumps(changed_somewhere(data, about))})
        for use in (load_network, kept_networks):
            with suppress(DamagedFile):
                use(folder)


def test_a_network_file_can_have_any_name(tmp_path):
    path = tmp_path / "my best.safetensors"
    save_network(path, "tictactoe", ResNet(SETTINGS.make_game(), 4, 1), {"by": "me"})
    assert load_network(path).info == {"by": "me"}
    assert load_network(str(path)).game.name == "tic_tac_toe"


def test_a_folder_may_have_any_name(original, tmp_path):
    """Also one that is not UTF-8: a run that trained there must not be lost."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xe9"))
    try:
        shutil.copytree(original, folder)
    except OSError:
        pytest.skip("this disk allows no such name")
    assert load_network(folder).info["counters"]["iteration"] == 4
    assert Training.resumed(folder).counters.iteration == 4


def test_the_original_was_whole(original):
    assert read_summary(original)["counters"]["iteration"] == 4
    assert Training.resumed(original).counters.iteration == 4
