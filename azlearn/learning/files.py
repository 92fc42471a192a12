"""Networks in files, which are either complete or absent. Nothing is ever unpickled."""

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
LOCK_FILE = ".azlearn.lock"  # exists while a process uses the folder, and after a kill
SNAPSHOTS = "kept"  # the folder of a run's snapshots, see snapshots.py
# The structure that every network's header must have, see ``read_json``.
_DESCRIBED = {
    "size": {"channels": int, "blocks": int, "value_norm?": bool, "owners?": bool, str: int},
    "info": {"settings?": {}, "counters?": {str: float}},
}
_SHIPPED = Path(str(files("azlearn"))) / "data"


class LoadedNetwork(NamedTuple):
    """A network from a file."""

    game: RulesGame
    network: ResNet  # in eval mode
    info: dict[str, Any]  # how it was made: minutes, games, settings, …

    def tree_policy(self) -> TreePolicy | None:
        """Returns Gumbel's tree policy as in the network's self-play; None if self-play used PUCT.

        Raises:
            ValueError: invalid settings in ``info``.
        """
        names = ("search", "max_considered_actions", "c_scale", "rescale_q")
        found = {OLD_NAMES.get(n, n): x for n, x in self.info.get("settings", {}).items()}
        known = {n: x for n, x in found.items() if n in names}
        settings = TrainSettings().with_changes(known)
        return settings.tree_policy() if settings.search == "gumbel" else None


def claim_folder(path: Path, settings: dict[str, Any], read: Callable[[], dict[str, Any]]) -> None:
    """Writes the settings into a new folder, or compares them with those in an existing one.

    Leftovers of killed processes are deleted, so no other process may use the folder.

    Args:
        path: the settings file in the folder.
        settings: JSON-serializable, by name.
        read: returns the settings in the file, checked.

    Raises:
        ValueError: settings differ (the message names them), or other files are in the folder.
        OSError: no space, no permission.
    """
    sweep(path.parent)
    if not path.exists():
        names = [other.name for other in path.parent.iterdir()]
        if others := sorted(name for name in names if not name.startswith(".")):
            raise ValueError(
                f"{path.parent} contains other files, such as {others[0]}. Use a new folder."
            )
        atomic_write(path, json.dumps(settings, indent=1).encode() + b"\n")
        return
    there = read()
    if other := [name for name in settings if settings[name] != there[name]]:
        differences = ", ".join(f"{name} {there[name]}, not {settings[name]}" for name in other)
        raise ValueError(
            f"{path.parent} was made with different settings ({differences}). Use a new folder."
        )


@contextmanager
def exclusive_lock(folder: Path, patience: float = 0.0) -> Iterator[None]:
    """Keeps other runs out of ``folder`` until the block ends or this process is killed.

    Two runs would delete each other's checkpoints. If the disk does not support locks, this only
    warns.

    Args:
        patience: seconds to wait for a process that is about to exit.

    Raises:
        ValueError: another process uses the folder, or it is not a folder.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder. Choose another one.")
    with ExitStack() as use:
        try:
            is_locked = use.enter_context(locked(folder / LOCK_FILE, patience))
        except BlockingIOError:
            message = f"{folder} is in use by another process. Wait, or choose another folder."
            raise ValueError(message) from None
        if not is_locked:
            warnings.warn(
                "The file system of this folder does not support locks. Make sure that no other"
                " process uses it.",
                stacklevel=1,
            )
        yield


def write_tensors(path: Path, tensors: dict[str, torch.Tensor], about: dict | None = None) -> None:
    """Writes a safetensors file with ``about``, as JSON, in its header."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    atomic_write(path, save(tensors, {"about": json.dumps(about or {})}))


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict]:
    """Reads what ``write_tensors`` wrote.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptFileError: the file is damaged, or is not a safetensors file.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    content = path.read_bytes()  # safetensors itself cannot open a path that is not UTF-8
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
    """Writes a network and information about it; creates the folder if necessary.

    Args:
        game: its name, see ``make_game``.
        info: JSON-serializable.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_network(Path(path), game, network.size, network.state_dict(), info)


def write_network(
    path: Path, game: str, size: dict[str, int], weights: dict[str, torch.Tensor], info: dict
) -> None:
    """Does the same as ``save_network``, given a network's size and weights."""
    about = {"format": NETWORK_FORMAT, "game": game, "size": size, "info": info}
    write_tensors(path, without_tiny(weights), about)


def load_network(name: str | Path) -> LoadedNetwork:
    """Loads a network from a run's folder, from a ``.safetensors`` file, or by a shipped name.

    To pick a run's snapshot, add a colon and its iteration: ``"runs/c4:64"`` (``list_snapshots``).

    Raises:
        FileNotFoundError: there is no such file, run or shipped network.
        ValueError: the run has no network of that iteration; the message lists those it has.
        CorruptFileError: the file is damaged, from another program, or does not match its header.
    """
    path = _network_file(name)
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no network {str(name)!r}. Give a run's folder, a .safetensors file, or one"
            f" of the shipped networks {', '.join(shipped_networks())}. To pick an iteration, add a"
            " colon and its number, as in runs/c4:64."
            + did_you_mean(str(name), [*shipped_networks(), *folders_beside(name)])
        )
    tensors, about = read_tensors(path)
    if about.get("format") != NETWORK_FORMAT:
        raise CorruptFileError(f"{path} does not contain a network of azlearn.")
    try:
        game = make_game(str(about.get("game")))
    except (ValueError, OSError) as error:
        raise CorruptFileError(
            f"{path} needs a game that cannot be found. {in_words(error)}"
        ) from None
    return described_network(path, game, tensors, about)


def game_of_network(name: str | Path) -> str:
    """The word that names a network's game, without loading the game.

    Raises:
        OSError, CorruptFileError: as in ``load_network``.
    """
    return str(read_tensors(_network_file(name))[1].get("game"))


def _network_file(name: str | Path) -> Path:
    path = run_folder(name)
    run, _, iteration = str(name).rpartition(":")
    if run and iteration.isdecimal() and not path.exists() and (kept := list_snapshots(run)):
        if int(iteration) not in kept:
            raise ValueError(
                f"{run} has no network from iteration {int(iteration)}, only from"
                f" {', '.join(map(str, kept))}."
            )
        return kept[int(iteration)]
    return path / NETWORK_FILE if path.is_dir() else path


def list_snapshots(run: str | Path) -> dict[int, Path]:
    """Returns the files of a run's networks by ascending iteration: its snapshots and the newest.

    The dict is empty if there is no such run.

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
            raise CorruptFileError(f"{newest} is damaged or not from azlearn ({fault}).")
        found[about.get("info", {}).get("counters", {}).get("iteration", 0)] = newest
    return dict(sorted(found.items()))


def is_snapshot_name(path: Path) -> bool:
    """Returns whether a file is named like a snapshot of a run."""
    return re.fullmatch(r"[0-9]{1,18}\.safetensors", path.name) is not None


def described_network(
    path: Path, game: RulesGame, tensors: dict[str, torch.Tensor], about: dict[str, Any]
) -> LoadedNetwork:
    """Builds the network of ``game`` that a file's header describes, with the file's tensors.

    Raises:
        CorruptFileError: header and tensors do not match, or something is missing.
    """
    try:
        if fault := shape_fault(about, _DESCRIBED):
            raise ValueError(fault)
        size = about["size"]
        if size["blocks"] > len(tensors):
            raise ValueError(f"it has fewer tensors than its {size['blocks']} blocks")
        with torch.device("meta"):  # takes no memory, however much the header claims
            expected = ResNet(game, **size).state_dict()
        if _forms(expected) != _forms(tensors):
            raise ValueError("its tensors have different shapes or types")
        network = ResNet(game, **size)
        network.load_state_dict(without_tiny(tensors))
        return LoadedNetwork(game, network.eval(), about["info"])
    except (RuntimeError, TypeError, ValueError) as error:
        raise CorruptFileError(
            f"{path} does not contain the network that its header describes ({error})."
        ) from None


def _forms(tensors: dict[str, torch.Tensor]) -> dict[str, tuple[torch.Size, bool]]:
    return {name: (x.shape, x.is_floating_point()) for name, x in tensors.items()}


def shipped_networks() -> list[str]:
    """Returns the names of the networks that come with the package, each with its run's log."""
    return sorted(path.parent.name for path in _SHIPPED.glob(f"*/{NETWORK_FILE}"))


def run_folder(name: str | Path) -> Path:
    """Returns the path ``name``, or the folder of the shipped network if only that exists."""
    path = Path(name)
    return _SHIPPED / path if str(name) in shipped_networks() and not path.exists() else path
