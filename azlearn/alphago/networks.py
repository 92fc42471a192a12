"""Creates, saves and loads the networks of the pipeline's stages.

AlphaGo's policy and value networks are separate, with 13 and 15 plain layers (Silver et al.
2016, Methods, "Neural network architecture"). Here every stage has its own ``ResNet`` and trains
one of its two heads, so the stages, and AlphaGo Zero, only differ in their training.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from azlearn.alphago.patterns import GAME
from azlearn.alphago.planes import PLANES
from azlearn.games import Game, Go
from azlearn.games.named import make_game
from azlearn.learning import SIZES, CorruptFileError, LoadedNetwork, ResNet
from azlearn.learning.denormals import without_tiny
from azlearn.learning.files import described_network, read_tensors, write_tensors
from azlearn.learning.network import seeded_network

FORMAT = "azlearn stage network 1"


def new_network(game: Game, size: str = "small", rng: np.random.Generator | int = 0) -> ResNet:
    """Creates a network with random weights.

    Args:
        game: determines the shape of planes and policy.
        size: a name in ``SIZES``.
        rng: a generator, or the seed of one.

    Raises:
        ValueError: the size is unknown.
    """
    if size not in SIZES:
        raise ValueError(f"size must be one of {', '.join(SIZES)}, not {size!r}.")
    return seeded_network(game, size, int(np.random.default_rng(rng).integers(2**63)))


def save_stage_network(
    path: str | Path, planes: str, network: ResNet, info: dict[str, Any], game: str = "connect4"
) -> None:
    """Writes a network, the name of its planes, and information about it.

    Args:
        planes: a name in ``PLANES``.
        info: JSON-serializable information.
        game: the name of the game, see ``games/named.py``.

    Raises:
        ValueError: the planes are unknown or not those of the network; nothing is written.
        OSError: no space or no permission; ``path`` is unchanged.
    """
    seen = planes_game(planes, make_game(game))
    if network.planes_shape != (shape := (seen.num_planes, seen.rows, seen.cols)):
        raise ValueError(
            f"The planes {planes!r} have the shape {shape}, but the network takes planes of shape"
            f" {network.planes_shape}."
        )
    about = {
        "format": FORMAT, "game": game, "planes": planes, "size": network.size, "info": info,
    }  # fmt: skip
    write_tensors(Path(path), without_tiny(network.state_dict()), about)


def load_stage_network(path: str | Path) -> LoadedNetwork:
    """Reads a file of ``save_stage_network``; the result's ``game`` has the network's planes.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptFileError: the file is truncated, is from another program, or states a size that its
            weights do not have.
    """
    path = Path(path)
    tensors, about = read_tensors(path)
    try:
        if about.get("format") != FORMAT:
            raise ValueError("another format")
        game = planes_game(about.get("planes"), make_game(about.get("game", "connect4")))
    except ValueError:
        raise CorruptFileError(f"{path} contains no network of the AlphaGo pipeline.") from None
    return described_network(path, game, tensors, about)


def planes_game(planes: str, game: Game = GAME) -> Game:
    """Returns the game with the planes of this name.

    Raises:
        ValueError: there are no planes of this name, or none for this game.
    """
    if planes not in list(PLANES):
        raise ValueError(f"planes must be one of {', '.join(PLANES)}, not {planes!r}.")
    if isinstance(game, Go):
        from azlearn.alphago.planes import GoPlanes

        return game if planes == "raw" else GoPlanes(**asdict(game))
    if game.rules is not GAME.rules:
        raise ValueError(f"AlphaGo's planes are for Connect Four and Go, not for {game.name}.")
    return PLANES[planes]()
