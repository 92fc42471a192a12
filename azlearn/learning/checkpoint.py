"""Checkpoints: everything a run needs to go on as if it had never stopped.

A run's folder holds, besides its log,::

    checkpoint.json          which checkpoint counts, and what its files are; written last
    000120/                  of iteration 120
        training.safetensors     weights and optimiser
        rank0.safetensors        replay buffer and games under way, of every rank
    network.safetensors      the weights alone, for players
    kept/64.safetensors      the same after iteration 64 (see kept.py)

A kill at any instant leaves a whole checkpoint: a new one is complete on the disk before
``checkpoint.json`` names it, and only then is the old one deleted.

Machines that share the folder write it together, each rank its own file. Where they do not, every
machine's folder gets a whole copy, log included: whichever machines are there when the run goes on,
and however many processes they have, the newest copy among them is brought to all
(``newest_everywhere``). ``torch.distributed.checkpoint`` is not used: its parts lie where they were
written, so that a run could only go on with the same disks or a shared one; it deals out tensors
anew, not games; and its index is a pickle.
"""

import json
import re
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import nn

from azlearn.foreign_json import DamagedFile, read_json
from azlearn.learning.budget import Budget, Counters
from azlearn.learning.files import KEPT, LOCK_FILE, NETWORK_FILE, read_tensors
from azlearn.learning.ranks import Ranks
from azlearn.learning.redistribute import redistributed
from azlearn.learning.replay import ReplayBuffer
from azlearn.learning.run_log import LOG_FILE
from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import read_settings
from azlearn.spelling import did_you_mean, folders_beside
from azlearn.whole_file import is_unfinished, own_folder

FORMAT = "azlearn checkpoint 2"
SUMMARY_FILE = "checkpoint.json"
CHECKSUM = "checksum"  # of the rest of that file
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
# Settings that may be left to the machine; a run may go on with another one.
_OPEN = {"precision": "fastest", "backend": "fastest", "num_games": 0}


def newest_everywhere(out: Path, ranks: Ranks) -> bool:
    """Gives every folder the newest whole checkpoint that any of them holds; whether there is one.

    Every rank must call it. With one folder for all nothing has to be brought, and nothing is read.

    Raises:
        DamagedFile: there is one, but none is whole.
        ValueError: the folders hold different runs.
        OSError: a file cannot be written.
    """
    if len(ranks.firsts) == 1:
        return any(ranks.tell((out / SUMMARY_FILE).is_file()))
    mine, damage = None, None
    if ranks.is_first_here:
        try:
            mine = read_summary(out)
        except FileNotFoundError:
            pass
        except DamagedFile as error:
            damage = str(error)
    held = {rank: its for rank, its in enumerate(ranks.tell(mine)) if its}
    damaged = [its for its in ranks.tell(damage) if its]
    if not held:
        if damaged:
            raise DamagedFile(damaged[0])
        return False
    source = max(held, key=lambda rank: (held[rank]["counters"]["iteration"], -rank))
    newest = held[source]
    for rank, its in held.items():
        if other_settings(newest["settings"] | _OPEN, its["settings"]):
            raise ValueError(
                f"{out} holds different runs on the machines of ranks {source} and {rank}: take"
                " the wrong one away."
            )
    is_wanted = mine != newest
    kept = ranks.tell([path.name for path in (out / KEPT).glob("*.safetensors")])[source]
    if any(ranks.tell(ranks.is_first_here and is_wanted)) and ranks.is_first_here:
        if is_wanted and mine and mine["folder"] == newest["folder"]:
            (out / SUMMARY_FILE).unlink()  # its files are about to be replaced, one by one
        for name in (newest["folder"], KEPT) if is_wanted else ():
            own_folder(out / name)
        names = [f"{newest['folder']}/{name}" for name in newest["sha256"]]
        names += [f"{KEPT}/{name}" for name in kept]
        for name in (*names, NETWORK_FILE, LOG_FILE, SUMMARY_FILE):
            ranks.pass_on(out / name, source, is_wanted)
    ranks.wait()
    return True


def is_remains(path: Path) -> bool:
    """Whether a run may begin in the folder where this lies: it is all that is left of one that was
    killed before its first checkpoint, and nobody will miss it.
    """
    if path.is_symlink():
        return False
    if path.is_dir():
        parts = path.iterdir() if path.name == f"{0:06d}" else ()
        ours = all(CHECKPOINT_PART.fullmatch(p.name) or is_unfinished(p) for p in parts)
        return ours and path.name in (f"{0:06d}", "tensorboard")
    if path.name == NETWORK_FILE:
        try:
            return read_tensors(path)[1]["info"]["counters"]["iteration"] == 0
        except (DamagedFile, KeyError, TypeError):
            return False
    if path.name in (LOG_FILE, LOCK_FILE):
        return path.stat().st_size == 0
    return is_unfinished(path)


def other_settings(given: dict[str, Any], there: dict[str, Any]) -> str:
    """In which settings a run is another than the one in a checkpoint; "" if in none.

    Args:
        given, there: by name, also of older runs; what ``given`` leaves open fits any value.
    """
    given, there = (asdict(read_settings(settings)) for settings in (given, there))
    return ", ".join(
        f"{name} {there[name]}, not {value}"
        for name, value in given.items()
        if value != there[name] and value != _OPEN.get(name)
    )


def read_summary(out: Path, ranks: Ranks | None = None) -> dict:
    """``checkpoint.json`` of a run, checked: its format, its settings and its files.

    Args:
        ranks: only the files that this rank reads are checked; None: those of all.

    Raises:
        FileNotFoundError: the folder is no run, or has no checkpoint yet.
        DamagedFile: a file is missing, cut short, changed or foreign.
    """
    path = out / SUMMARY_FILE
    if not path.is_file():
        raise FileNotFoundError(
            f"{out} holds no checkpoint: there is nothing to go on with. A run that was killed"
            " before its first one is begun again by the command that began it."
            + ("" if out.is_dir() else did_you_mean(str(out), folders_beside(out)))
        )
    for name in (SUMMARY_FILE, NETWORK_FILE, LOG_FILE, KEPT, "tensorboard"):
        if (out / name).is_symlink():
            raise DamagedFile(
                f"{out / name} is a link, and a run writes into its own folder only: put the file"
                " or folder itself there."
            )
    summary = read_json(path, _SUMMARY)
    try:
        checksum = summary.pop(CHECKSUM, None)  # older files have none
        if checksum is not None and checksum != summary_checksum(summary):
            raise ValueError("it is not what was written")
        if summary["format"] != FORMAT:
            raise DamagedFile(f"{path} is of another kind: {summary['format']!r}, not {FORMAT!r}.")
        folder, checksums = out / summary["folder"], summary["sha256"]
        read_settings(summary["settings"])
        Budget(**summary["budget"]).spent(Counters(**summary["counters"]))
        if summary["folder"] != f"{summary['counters']['iteration']:06d}":
            raise ValueError("its folder is not that of its iteration")
        num_ranks = len(checksums) - 1
        named = {"training.safetensors", *(f"rank{i}.safetensors" for i in range(num_ranks))}
        if named != set(checksums) or num_ranks != summary["world_size"]:
            raise ValueError("its files are not those of its ranks")
    except DamagedFile:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{path} is damaged or foreign ({error}).") from None
    if ranks is not None and ranks.world_size == summary["world_size"]:
        read = {"training.safetensors", f"rank{ranks.rank}.safetensors"}
        checksums = {name: checksum for name, checksum in checksums.items() if name in read}
    for name, checksum in checksums.items():
        file = folder / name
        if not file.is_file():
            raise DamagedFile(f"{file} is missing: this checkpoint cannot be used.")
        if checksum_of(file) != checksum:
            raise DamagedFile(f"{file} is damaged or cut short: this checkpoint cannot be used.")
    return summary


def summary_checksum(summary: dict) -> str:
    """Of all that ``checkpoint.json`` says besides."""
    return sha256(json.dumps(summary, sort_keys=True).encode()).hexdigest()


def checksum_of(file: Path) -> str:
    """As ``checkpoint.json`` keeps it."""
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
    """Fills what a checkpoint holds, for this rank: its own part if as many ranks have written it,
    else its share of what all had.

    Raises:
        DamagedFile: a file does not hold what it should.
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
            state = redistributed(states, ranks.rank, ranks.world_size, replay.window)
        self_play.load_state_dict(state)
        replay.load_state_dict(
            {n.removeprefix("replay."): x for n, x in state.items() if n.startswith("replay.")}
        )
        path = folder / "training.safetensors"
        _unpack_training(read_tensors(path)[0], modules, optimizer)
    except (DamagedFile, torch.OutOfMemoryError):
        raise
    except (KeyError, ValueError, IndexError, TypeError, RuntimeError) as error:
        raise DamagedFile(f"{path} does not fit the settings of the run.") from error


def pack_training(
    modules: dict[str, nn.Module], optimizer: torch.optim.Optimizer
) -> dict[str, torch.Tensor]:
    """Networks by name, and what the optimiser keeps for each parameter of ``"network"``."""
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


def pack(self_play: SelfPlay, replay: ReplayBuffer) -> tuple[dict[str, torch.Tensor], dict]:
    """What belongs to a rank: tensors, and the numbers that go into the file's header."""
    state = {f"replay.{name}": part for name, part in replay.state_dict().items()}
    state |= self_play.state_dict()
    tensors = {name: part for name, part in state.items() if isinstance(part, torch.Tensor)}
    return tensors, {name: part for name, part in state.items() if name not in tensors}


def _state(tensors: dict, about: dict) -> dict:
    """What ``pack`` was given, in today's names."""
    state = tensors | about
    if "num_added" in state:  # its name in older runs
        state["replay.num_added"] = state.pop("num_added")
    if "replay.me" in state:  # written when every state was two boards
        words = state.pop("replay.me"), state.pop("replay.opp")
        state["replay.words"] = torch.stack(words, dim=1)
    # Written before searches proved anything, and before anybody was surprised.
    state.setdefault("records.proven", torch.zeros_like(state["records.root_value"]).bool())
    state.setdefault("records.surprise", torch.zeros_like(state["records.root_value"]))
    return state
