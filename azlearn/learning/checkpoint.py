"""Checkpoints: everything a run needs to go on as if it had never stopped.

A run's folder holds, besides its log,::

    checkpoint.json          which checkpoint counts, and what its files are; written last
    000120/                  of iteration 120
        training.safetensors     weights and optimiser
        rank0.safetensors        replay buffer and games under way, of every rank
    network.safetensors      the weights alone, for players

A kill at any instant leaves a whole checkpoint: a new one is complete on the disk before
``checkpoint.json`` names it, and only then is the old one deleted.
"""

import json
import shutil
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from torch import nn

from azlearn.learning.budget import Budget, Counters
from azlearn.learning.files import (
    DamagedFile,
    read_tensors,
    sync_directory,
    write_tensors,
    write_whole,
)
from azlearn.learning.ranks import Ranks
from azlearn.learning.replay import ReplayBuffer, Samples
from azlearn.learning.self_play import GameUnderWay, Record, SelfPlay
from azlearn.learning.settings import read_settings

FORMAT = "azlearn checkpoint 2"


def write_checkpoint(
    out: Path,
    ranks: Ranks,
    run: dict,
    modules: dict[str, nn.Module],
    optimizer: torch.optim.Optimizer,
    self_play: SelfPlay,
    replay: ReplayBuffer,
) -> None:
    """Writes a checkpoint; every rank must call it.

    Args:
        run: settings, budget and counters, JSON-able; the iteration names the checkpoint.
        modules: networks by name, the same on all ranks; ``"network"`` is the optimiser's.

    Raises:
        OSError: no space, for one; the previous checkpoint still counts.
    """
    folder = out / f"{run['counters']['iteration']:06d}"
    folder.mkdir(parents=True, exist_ok=True)
    sync_directory(out)
    own, about = _pack(self_play, replay)
    write_tensors(folder / f"rank{ranks.rank}.safetensors", own, about)
    if ranks.is_first:
        write_tensors(folder / "training.safetensors", _pack_training(modules, optimizer))
    ranks.wait()  # all files of all ranks are on the disk …
    if ranks.is_first:
        names = ["training", *(f"rank{rank}" for rank in range(ranks.world_size))]
        files = [folder / f"{name}.safetensors" for name in names]
        summary = {
            "format": FORMAT,
            "folder": folder.name,
            "world_size": ranks.world_size,
            **run,
            "sha256": {file.name: _checksum(file) for file in files},
        }
        write_whole(out / "checkpoint.json", json.dumps(summary, indent=1).encode())  # … and count
        for old in out.iterdir():
            if old.is_dir() and old.name.isdecimal() and old != folder:
                shutil.rmtree(old, ignore_errors=True)


def read_summary(out: Path, rank: int | None = None) -> dict:
    """``checkpoint.json`` of a run, checked: its format, its settings and its files.

    Args:
        rank: only the files that this rank reads are checked; None: those of all.

    Raises:
        FileNotFoundError: the folder is no run, or has no checkpoint yet.
        DamagedFile: a file is missing, cut short, changed or foreign.
    """
    path = out / "checkpoint.json"
    if not path.is_file():
        raise FileNotFoundError(f"{out} holds no checkpoint: there is nothing to go on with.")
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
        if summary["format"] != FORMAT:
            raise DamagedFile(f"{path} is of another kind: {summary['format']!r}, not {FORMAT!r}.")
        folder, checksums = out / summary["folder"], dict(summary["sha256"])
        read_settings(summary["settings"])
        Budget(**summary["budget"]).spent(Counters(**summary["counters"]))
        int(summary["world_size"])
    except DamagedFile:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{path} is damaged or foreign ({error}).") from None
    if rank is not None:
        read = {"training.safetensors", f"rank{rank}.safetensors"}
        checksums = {name: checksum for name, checksum in checksums.items() if name in read}
    for name, checksum in checksums.items():
        file = folder / name
        if not file.is_file():
            raise DamagedFile(f"{file} is missing: this checkpoint cannot be used.")
        if _checksum(file) != checksum:
            raise DamagedFile(f"{file} is damaged or cut short: this checkpoint cannot be used.")
    return summary


def _checksum(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def check_ranks(out: Path, summary: dict, world_size: int) -> None:
    """ValueError unless as many ranks go on with a run as have written its checkpoint."""
    if summary["world_size"] != world_size:
        raise ValueError(
            f"{out} was trained by {summary['world_size']} processes, not by {world_size}:"
            f" go on with --ranks {summary['world_size']}."
        )


def read_checkpoint(
    out: Path,
    summary: dict,
    ranks: Ranks,
    modules: dict[str, nn.Module],
    optimizer: torch.optim.Optimizer,
    self_play: SelfPlay,
    replay: ReplayBuffer,
) -> None:
    """Fills what ``write_checkpoint`` has written, for this rank.

    Raises:
        ValueError: the run had another number of ranks.
        DamagedFile: a file does not hold what it should.
    """
    check_ranks(out, summary, ranks.world_size)
    path = out / summary["folder"] / f"rank{ranks.rank}.safetensors"
    try:
        _unpack(*read_tensors(path), self_play, replay)
        path = path.with_name("training.safetensors")
        _unpack_training(read_tensors(path)[0], modules, optimizer)
    except DamagedFile:
        raise
    except (KeyError, ValueError, IndexError, TypeError, RuntimeError) as error:
        raise DamagedFile(f"{path} does not fit the settings of the run.") from error


def _pack_training(
    modules: dict[str, nn.Module], optimizer: torch.optim.Optimizer
) -> dict[str, torch.Tensor]:
    tensors = {
        f"{name}.{key}": tensor
        for name, module in modules.items()
        for key, tensor in module.state_dict().items()
    }
    names = _names(modules["network"], optimizer)
    for index, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{key}.{names[index]}": value for key, value in state.items()}
    return tensors


def _unpack_training(
    tensors: dict[str, torch.Tensor], modules: dict[str, nn.Module], optimizer
) -> None:
    parts: dict[str, dict[str, torch.Tensor]] = {name: {} for name in (*modules, "optimizer")}
    for name, tensor in tensors.items():
        part, _, key = name.partition(".")
        parts[part][key] = tensor
    for name, module in modules.items():
        module.load_state_dict(parts[name])
    names = _names(modules["network"], optimizer)
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in parts["optimizer"].items():
        key, _, parameter = name.partition(".")
        states.setdefault(names.index(parameter), {})[key] = tensor
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": states, "param_groups": groups})


def _names(network: nn.Module, optimizer: torch.optim.Optimizer) -> list[str]:
    """The names of the parameters, in the order in which the optimiser counts them."""
    names = {parameter: name for name, parameter in network.named_parameters()}
    return [names[p] for group in optimizer.param_groups for p in group["params"]]


def _pack(self_play: SelfPlay, replay: ReplayBuffer) -> tuple[dict[str, torch.Tensor], dict]:
    games = self_play.games
    records = [record for game in games for record in game.records]
    arrays = {f"replay.{name}": a for name, a in replay.contents()._asdict().items()}
    arrays |= {
        "games.state": np.array([game.state for game in games], np.int64),
        "games.number": np.array([game.number for game in games], np.int64),
        "games.ply": np.array([game.ply for game in games], np.int64),
        "games.num_records": np.array([len(game.records) for game in games], np.int64),
        "records.state": np.array([r.state for r in records], np.int64).reshape(
            -1, len(self_play.game.State._fields)
        ),
        "records.policy": np.array([r.policy for r in records], np.float32).reshape(
            -1, self_play.game.num_actions
        ),
        "records.root_value": np.array([r.root_value for r in records], np.float64),
        "resignation.lowest": np.array(self_play.resignation.lowest, np.float64),
    }
    about = {
        "num_added": replay.num_added,
        "next_number": self_play.next_number,
        "threshold": self_play.resignation.threshold,
    }
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, about


def _unpack(own: dict, about: dict, self_play: SelfPlay, replay: ReplayBuffer) -> None:
    arrays = {name: tensor.numpy() for name, tensor in own.items()}
    if "replay.me" in arrays:  # written when every state was two boards
        arrays["replay.words"] = np.stack([arrays["replay.me"], arrays["replay.opp"]], axis=1)
    samples = Samples(*(arrays[f"replay.{name}"] for name in Samples._fields))
    state_of = self_play.game.state_of
    # The oldest position goes where it was, so that drawing by index meets the same positions.
    replay.num_added = about["num_added"] - len(samples.words)
    replay.add(samples)
    records = [
        Record(state_of(state), policy.copy(), float(value))
        for state, policy, value in zip(
            *(arrays[f"records.{name}"] for name in Record._fields), strict=True
        )
    ]
    ends = np.cumsum(arrays["games.num_records"])
    games = zip(
        *(
            arrays[f"games.{name}"]
            for name in (f.name for f in fields(GameUnderWay) if f.name != "records")
        ),
        ends - arrays["games.num_records"],
        ends,
        strict=True,
    )
    num_games = len(self_play.games)
    self_play.games = [
        GameUnderWay(int(number), state_of(state), int(ply), records[start:end])
        for number, state, ply, start, end in games
    ]
    if len(self_play.games) != num_games:
        raise ValueError(f"There are {len(self_play.games)} games under way, not {num_games}.")
    self_play.next_number = about["next_number"]
    self_play.resignation.threshold = about["threshold"]
    self_play.resignation.lowest.extend(arrays["resignation.lowest"].tolist())
