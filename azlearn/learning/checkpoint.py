"""Checkpoints: everything a run needs to resume as if it had never stopped.

Besides its log, a run's folder contains::

    checkpoint.json          names the current checkpoint and its files; written last
    000120/                  the checkpoint of iteration 120
        training.safetensors     weights and optimizer
        rank0.safetensors        replay buffer and games in progress, one file per rank
    network.safetensors      only the weights, for players
    kept/64.safetensors      a snapshot: the weights after iteration 64 (see snapshots.py)

No matter when a run is killed, a complete checkpoint is left: a new one is complete on the disk
before ``checkpoint.json`` names it, and the old one is deleted only after that.

Machines that train together share the folder; each rank writes its own file.
"""

import json
import re
from contextlib import suppress
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import nn

from azlearn.atomic_io import atomic_write, is_unfinished, sweep, sync_directory
from azlearn.json_validation import CorruptFileError, read_json
from azlearn.learning.budget import Budget, Counters
from azlearn.learning.files import (
    LOCK_FILE,
    NETWORK_FILE,
    read_tensors,
    write_network,
    write_tensors,
)
from azlearn.learning.ranks import Ranks
from azlearn.learning.replay import ReplayBuffer
from azlearn.learning.reshard import resharded
from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import read_settings
from azlearn.spelling import did_you_mean, folders_beside

FORMAT = "azlearn checkpoint 2"
SUMMARY_FILE = "checkpoint.json"
CHECKPOINT_FOLDER = re.compile(r"[0-9]{6,}")
CHECKPOINT_PART = re.compile(r"(training|rank[0-9]+)\.safetensors")
_SUMMARY = {
    "format": str,
    "folder": str,
    "world_size": int,
    "settings": {},
    "budget": {"minutes?": (float, None), "iterations?": (int, None)},
    "counters": {"iteration": int} | {f"{one.name}?": one.type for one in fields(Counters)},
    "sha256": {str: str},
}
# The values that leave a setting to the machine; they match any value in a checkpoint.
_OPEN = {"precision": "fastest", "backend": "fastest", "num_games": 0}


def write_checkpoint(
    out: Path,
    run: dict[str, Any],
    ranks: Ranks,
    modules: dict[str, nn.Module],
    optimizer: torch.optim.Optimizer,
    self_play: SelfPlay,
    replay: ReplayBuffer,
) -> None:
    """Writes a checkpoint and deletes the previous one; every rank must call it.

    Even if a rank is killed or a disk is full, at any moment, either the previous checkpoint or the
    new one is complete. The player's network is written first: if it were last, a kill could leave
    a finished run without it, and resuming that run would not write it.

    Args:
        run: settings, budget and counters, JSON-serializable; the iteration names the checkpoint.
        modules: networks by name, the same on all ranks; ``"network"`` is the one that is trained,
            and the last one plays.

    Raises:
        OSError: a file cannot be written; the previous checkpoint stays valid.
        RuntimeError: another rank has exited.
    """
    folder = out / f"{run['counters']['iteration']:06d}"
    parts = {f"rank{ranks.rank}.safetensors": pack(self_play, replay)}
    if ranks.is_first:
        *_, player = modules.values()
        game = run["settings"]["game"]
        write_network(out / NETWORK_FILE, game, player.size, player.state_dict(), run)
        parts["training.safetensors"] = pack_training(modules, optimizer), {}
    folder.mkdir(exist_ok=True)
    sync_directory(out)
    for name, (tensors, about) in parts.items():
        write_tensors(folder / name, tensors, about)
    written = ranks.all_gather({name: checksum_of(folder / name) for name in parts})
    if not ranks.is_first:
        return
    checksums = {name: checksum for its in written for name, checksum in its.items()}
    if missing := [name for name in checksums if not (folder / name).is_file()]:
        raise OSError(
            f"{folder / missing[0]} is on another machine, but all machines of a run must share one"
            " folder"
        )
    summary = {
        "format": FORMAT,
        "folder": folder.name,
        "world_size": ranks.world_size,
        **run,
        "sha256": checksums,
    }
    atomic_write(out / SUMMARY_FILE, json.dumps(summary, indent=1))
    for here in (out, folder):
        sweep(here)
    for old in out.iterdir():
        if CHECKPOINT_FOLDER.fullmatch(old.name) and old != folder:
            _delete(old)


def _delete(folder: Path) -> None:
    """Deletes a checkpoint's files, and its folder unless the user has put other files there."""
    with suppress(OSError):
        sweep(folder)
        for path in folder.iterdir():
            if CHECKPOINT_PART.fullmatch(path.name):
                path.unlink()
        folder.rmdir()


def what_is_left(out: Path, saved: int | None, ranks: Ranks) -> str:
    """Returns a sentence on the last checkpoint, for a run that cannot continue.

    Args:
        saved: the checkpoint's iteration, used if the folder is unreadable; None: no checkpoint.
    """
    with suppress(OSError, ValueError):
        saved = read_json(out / SUMMARY_FILE, _SUMMARY)["counters"]["iteration"]
    if saved is None:
        return "Nothing has been trained yet."
    parts = [f"{saved:06d}/{name}.safetensors" for name in ("training", f"rank{ranks.rank}")]
    if not all((out / name).is_file() for name in (SUMMARY_FILE, *parts)):
        return f"Files of the checkpoint of iteration {saved:,} in {out} are missing."
    return f"The checkpoint of iteration {saved:,} in {out} is intact."


def is_leftover_file(path: Path) -> bool:
    """Returns whether ``path`` was left by a run that was killed before its first checkpoint.

    A new run may start in a folder that contains nothing else.
    """
    if path.is_symlink():
        return False
    if path.name == f"{0:06d}" and path.is_dir():
        return all(CHECKPOINT_PART.fullmatch(p.name) or is_unfinished(p) for p in path.iterdir())
    if path.name == NETWORK_FILE:
        try:
            return read_tensors(path)[1]["info"]["counters"]["iteration"] == 0
        except (CorruptFileError, KeyError, TypeError):
            return False
    return path.name == LOCK_FILE or is_unfinished(path)


def other_settings(given: dict[str, Any], there: dict[str, Any]) -> str:
    """Lists the settings in which a run differs from the one in a checkpoint; "" if there are none.

    Args:
        given, there: settings by name, including those of older runs; a setting that ``given``
            leaves open matches any value.
    """
    given, there = (asdict(read_settings(settings)) for settings in (given, there))
    return ", ".join(
        f"{name} {there[name]}, not {value}"
        for name, value in given.items()
        if value != there[name] and value != _OPEN.get(name)
    )


def read_summary(out: Path, ranks: Ranks | None = None) -> dict:
    """Reads a run's ``checkpoint.json`` and checks its format, its settings and its files.

    Args:
        ranks: check only the files that this rank reads; None: those of all ranks.

    Raises:
        FileNotFoundError: the folder contains no run, or no checkpoint yet.
        CorruptFileError: a file is missing, damaged, changed or from another program.
    """
    path = out / SUMMARY_FILE
    if not path.is_file():
        raise FileNotFoundError(
            f"{out} contains no checkpoint, so there is no run to resume. If a run was killed"
            " before its first checkpoint, start it again with the same command."
            + ("" if out.is_dir() else did_you_mean(str(out), folders_beside(out)))
        )
    if links := [one for one in out.rglob("*") if one.is_symlink()]:
        raise CorruptFileError(
            f"{links[0]} is a link, but a run writes only into its own folder. Replace the link"
            " with the file or folder itself."
        )
    summary = read_json(path, _SUMMARY)
    summary.pop("checksum", None)  # of older files
    try:
        if summary["format"] != FORMAT:
            raise CorruptFileError(f"{path} has the format {summary['format']!r}, not {FORMAT!r}.")
        read_settings(summary["settings"])
        Budget(**summary["budget"]).spent(Counters(**summary["counters"]))
        if summary["folder"] != f"{summary['counters']['iteration']:06d}":
            raise ValueError("its folder does not match its iteration")
        num_ranks = len(summary["sha256"]) - 1
        parts = ["training", *(f"rank{rank}" for rank in range(num_ranks))]
        files = {f"{part}.safetensors" for part in parts}
        if files != set(summary["sha256"]) or num_ranks != summary["world_size"]:
            raise ValueError("its files do not match its ranks")
    except CorruptFileError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptFileError(f"{path} is damaged or not from azlearn ({error}).") from None
    if ranks is not None and ranks.world_size == num_ranks:
        files = {"training.safetensors", f"rank{ranks.rank}.safetensors"}
    for file in sorted(out / summary["folder"] / name for name in files):
        if not file.is_file():
            raise CorruptFileError(f"{file} is missing: this checkpoint cannot be used.")
        if checksum_of(file) != summary["sha256"][file.name]:
            raise CorruptFileError(
                f"{file} is damaged or cut short: this checkpoint cannot be used."
            )
    return summary


def checksum_of(file: Path) -> str:
    """Returns the SHA-256 checksum of a file, as ``checkpoint.json`` stores it."""
    return sha256(file.read_bytes()).hexdigest()


def read_checkpoint(
    out: Path,
    summary: dict,
    ranks: Ranks,
    modules: dict[str, nn.Module],
    optimizer: torch.optim.Optimizer,
    self_play: SelfPlay,
    replay: ReplayBuffer,
) -> None:
    """Loads a checkpoint into this rank's objects.

    If the same number of ranks wrote it, this rank gets its own part, else a share of all parts.

    Raises:
        CorruptFileError: a file does not contain the expected data.
    """
    folder, num_written = out / summary["folder"], summary["world_size"]
    path = folder / f"rank{ranks.rank}.safetensors"
    try:
        if num_written == ranks.world_size:
            state = _state(*read_tensors(path))
        else:
            states = []
            for rank in range(num_written):
                path = folder / f"rank{rank}.safetensors"
                states.append(_state(*read_tensors(path)))
            state = resharded(states, ranks.rank, ranks.world_size, replay.window)
        self_play.load_state_dict(state)
        replay.load_state_dict(
            {n.removeprefix("replay."): x for n, x in state.items() if n.startswith("replay.")}
        )
        path = folder / "training.safetensors"
        _unpack_training(read_tensors(path)[0], modules, optimizer)
    except (CorruptFileError, torch.OutOfMemoryError):
        raise
    except (KeyError, ValueError, IndexError, TypeError, RuntimeError) as error:
        raise CorruptFileError(f"{path} does not match the settings of the run.") from error


def pack_training(
    modules: dict[str, nn.Module], optimizer: torch.optim.Optimizer
) -> dict[str, torch.Tensor]:
    """Returns the tensors of all networks and the optimizer's state for ``"network"``, by name."""
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
    """Returns the names of the parameters in the order in which the optimizer numbers them."""
    names = {parameter: name for name, parameter in network.named_parameters()}
    return [names[p] for group in optimizer.param_groups for p in group["params"]]


def pack(self_play: SelfPlay, replay: ReplayBuffer) -> tuple[dict[str, torch.Tensor], dict]:
    """Returns a rank's state: its tensors, and the numbers that go into the file's header."""
    state = {f"replay.{name}": part for name, part in replay.state_dict().items()}
    state |= self_play.state_dict()
    tensors = {name: part for name, part in state.items() if isinstance(part, torch.Tensor)}
    return tensors, {name: part for name, part in state.items() if name not in tensors}


def _state(tensors: dict, about: dict) -> dict:
    """Returns the state that ``pack`` was given, under today's names."""
    state = tensors | about
    if "num_added" in state:  # its name in older runs
        state["replay.num_added"] = state.pop("num_added")
    if "replay.me" in state:  # older runs: every state was two boards
        words = state.pop("replay.me"), state.pop("replay.opp")
        state["replay.words"] = torch.stack(words, dim=1)
    # Older runs have neither proofs nor surprise weights.
    state.setdefault("records.proven", torch.zeros_like(state["records.root_value"]).bool())
    state.setdefault("records.surprise", torch.zeros_like(state["records.root_value"]))
    return state
