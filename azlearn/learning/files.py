"""Files that are either whole or not there, and networks in them. Nothing is ever unpickled."""

import json
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from azlearn.atomic_io import atomic_write, in_words, locked, sweep
from azlearn.games.named import make_game
from azlearn.games.rules_game import RulesGame
from azlearn.json_validation import CorruptFileError, read_json, shape_fault
from azlearn.learning.denormals import without_tiny
from azlearn.learning.network import ResNet
from azlearn.learning.settings import OLD_NAMES, TrainSettings
from azlearn.search.tree_policy import TreePolicy
from azlearn.spelling import did_you_mean, folders_beside

NETWORK_FORMAT = "azlearn network 1"
NETWORK_FILE = "network.safetensors"  # in a run's folder
LOCK_FILE = ".azlearn.lock"  # there while a process uses the folder, and after a kill
SNAPSHOTS = "kept"  # the folder there of its earlier networks, see snapshots.py
# What every network's header says of it, as ``read_json`` checks it.
_DESCRIBED = {
    "size": {"channels": int, "blocks": int, "value_norm?": bool, "owners?": bool, str: int},
    "info": {"settings?": {}, "counters?": {str: float}},
}
_SHIPPED = Path(str(files("azlearn"))) / "data"


class LoadedNetwork(NamedTuple):
    """A network from a file."""

    game: RulesGame
    network: ResNet  # in eval mode
    info: dict[str, Any]  # how it came to be: minutes, games, settings, …

    def tree_policy(self) -> TreePolicy | None:
        """Gumbel's, as its self-play had it; None where that was PUCT.

        Raises:
            ValueError: its settings of it are impossible.
        """
        names = ("search", "max_considered_actions", "c_scale")
        found = {OLD_NAMES.get(n, n): x for n, x in self.info.get("settings", {}).items()}
        known = {n: x for n, x in found.items() if n in names}
        settings = TrainSettings().with_changes(known)
        return settings.tree_policy() if settings.search == "gumbel" else None


def claim_folder(path: Path, settings: dict[str, Any], read: Callable[[], dict[str, Any]]) -> None:
    """Writes the settings that a new folder is for, or compares them with those it is for.

    Nobody else may use the folder meanwhile: what killed processes left there is swept away.

    Args:
        path: the file of settings in the folder.
        settings: JSON-able, by name.
        read: gives those in the file, checked.

    Raises:
        ValueError: they are others; names them. Or the folder is something else.
        OSError: no space, no permission.
    """
    sweep(path.parent)
    if not path.exists():
        names = [other.name for other in path.parent.iterdir()]
        if others := sorted(name for name in names if not name.startswith(".")):
            raise ValueError(
                f"{path.parent} is something else, it holds {others[0]}: use a new folder."
            )
        atomic_write(path, json.dumps(settings, indent=1).encode() + b"\n")
        return
    there = read()
    if other := [name for name in settings if settings[name] != there[name]]:
        differences = ", ".join(f"{name} {there[name]}, not {settings[name]}" for name in other)
        raise ValueError(
            f"{path.parent} was made with other settings ({differences}): use a new folder."
        )


@contextmanager
def exclusive_lock(folder: Path, patience: float = 0.0) -> Iterator[None]:
    """Keeps a second run out of ``folder`` as long as this process lives; a kill frees it.

    Two runs would delete each other's checkpoints. Where the disk knows no locks, a warning asks
    the reader to see to it.

    Args:
        patience: seconds to wait for a process that is about to end.

    Raises:
        ValueError: another process uses it, or it is no folder.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder: name another one.")
    with ExitStack() as use:
        try:
            is_locked = use.enter_context(locked(folder / LOCK_FILE, patience))
        except BlockingIOError:
            message = f"{folder} is in use: another process trains there."
            raise ValueError(message) from None
        if not is_locked:
            warnings.warn(
                "The disk of this folder knows no locks: make sure that no other process trains"
                " there.",
                stacklevel=1,
            )
        yield


def write_tensors(path: Path, tensors: dict[str, torch.Tensor], about: dict | None = None) -> None:
    """A safetensors file with ``about``, as JSON, in its header."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    atomic_write(path, save(tensors, {"about": json.dumps(about or {})}))


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict]:
    """What ``write_tensors`` wrote.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptFileError: it is cut short or something else.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    content = path.read_bytes()  # safetensors itself opens no path that is not UTF-8
    try:
        tensors = load(content)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise CorruptFileError(f"{path} is damaged or not a safetensors file ({error}).") from None
    header = content[8 : 8 + int.from_bytes(content[:8], "little")]
    metadata = read_json(header, {"__metadata__?": {str: str}}, path).get("__metadata__", {})
    about = read_json(metadata.get("about", "{}"), {}, f"{path}: its header")
    about.pop("sha256", None)  # of older files
    return tensors, about


def save_network(path: str | Path, game: str, network: ResNet, info: dict[str, Any]) -> None:
    """Writes a network and what is known about it; its folder is made where there is none.

    Args:
        game: its name, see ``make_game``.
        info: JSON-able.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_network(Path(path), game, network.size, network.state_dict(), info)


def write_network(
    path: Path, game: str, size: dict[str, int], weights: dict[str, torch.Tensor], info: dict
) -> None:
    """``save_network``, of a network's size and weights."""
    about = {"format": NETWORK_FORMAT, "game": game, "size": size, "info": info}
    write_tensors(path, without_tiny(weights), about)


def load_network(name: str | Path) -> LoadedNetwork:
    """A network from a run's folder, a ``.safetensors`` file, or by the name of a shipped one.

    After a colon, ``"runs/c4:64"``, the iteration of one of the ``list_snapshots`` of a run.

    Raises:
        FileNotFoundError: there is no such file, run or shipped network.
        ValueError: the run has not kept the network of that iteration; says which it has.
        CorruptFileError: the file is cut short, foreign or of another size than it says.
    """
    path = _network_file(name)
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no network {str(name)!r}: give a run's folder, a .safetensors file, or one"
            f" of the shipped networks {', '.join(shipped_networks())}. An iteration stands after"
            " a colon, as in runs/c4:64."
            + did_you_mean(str(name), [*shipped_networks(), *folders_beside(name)])
        )
    tensors, about = read_tensors(path)
    if about.get("format") != NETWORK_FORMAT:
        raise CorruptFileError(f"{path} holds no network of azlearn.")
    try:
        game = make_game(str(about.get("game")))
    except (ValueError, OSError) as error:
        raise CorruptFileError(
            f"{path} needs a game that cannot be found. {in_words(error)}"
        ) from None
    return described_network(path, game, tensors, about)


def _network_file(name: str | Path) -> Path:
    path = run_folder(name)
    run, _, iteration = str(name).rpartition(":")
    if run and iteration.isdecimal() and not path.exists() and (kept := list_snapshots(run)):
        if int(iteration) not in kept:
            raise ValueError(
                f"{run} has no network of iteration {int(iteration)}: it holds those of"
                f" {', '.join(map(str, kept))}."
            )
        return kept[int(iteration)]
    return path / NETWORK_FILE if path.is_dir() else path


def list_snapshots(run: str | Path) -> dict[int, Path]:
    """The files of a run's networks by iteration, ascending: those kept earlier, and its newest.

    None if there is no such run.

    Raises:
        CorruptFileError: the newest is damaged.
    """
    folder = run_folder(run)
    found = {
        int(path.stem): path
        for path in (folder / SNAPSHOTS).glob("[0-9]*")
        if is_snapshot_name(path)
    }
    if (newest := folder / NETWORK_FILE).is_file():
        about = read_tensors(newest)[1]
        if fault := shape_fault(about, {"info?": {"counters?": {"iteration?": int}}}):
            raise CorruptFileError(f"{newest} is damaged or foreign ({fault}).")
        found[about.get("info", {}).get("counters", {}).get("iteration", 0)] = newest
    return dict(sorted(found.items()))


def is_snapshot_name(path: Path) -> bool:
    """Whether it is called like an earlier network of a run."""
    return re.fullmatch(r"[0-9]{1,18}\.safetensors", path.name) is not None


def described_network(
    path: Path, game: RulesGame, tensors: dict[str, torch.Tensor], about: dict[str, Any]
) -> LoadedNetwork:
    """The network of ``game`` that a file's header describes and its tensors are.

    Raises:
        CorruptFileError: the two do not fit each other, or something is missing.
    """
    try:
        if fault := shape_fault(about, _DESCRIBED):
            raise ValueError(fault)
        size = about["size"]
        if size["blocks"] > len(tensors):
            raise ValueError(f"blocks must be fewer than its tensors, not {size['blocks']}")
        with torch.device("meta"):  # takes no memory, however much the header claims
            expected = ResNet(game, **size).state_dict()
        if _forms(expected) != _forms(tensors):
            raise ValueError("its tensors have other shapes or types")
        network = ResNet(game, **size)
        network.load_state_dict(without_tiny(tensors))
        return LoadedNetwork(game, network.eval(), about["info"])
    except (RuntimeError, TypeError, ValueError) as error:
        raise CorruptFileError(
            f"{path} does not hold the network that its header describes ({error})."
        ) from None


def _forms(tensors: dict[str, torch.Tensor]) -> dict[str, tuple[torch.Size, bool]]:
    return {name: (x.shape, x.is_floating_point()) for name, x in tensors.items()}


def shipped_networks() -> list[str]:
    """The names of the networks that come with the package, each with its run's log."""
    return sorted(path.parent.name for path in _SHIPPED.glob(f"*/{NETWORK_FILE}"))


def run_folder(name: str | Path) -> Path:
    """The folder of the shipped network ``name``, unless something here is called so: then that."""
    path = Path(name)
    return _SHIPPED / path if str(name) in shipped_networks() and not path.exists() else path
