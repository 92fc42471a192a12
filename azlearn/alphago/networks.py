"""The networks of the pipeline's stages, fresh and on the disk.

AlphaGo's policy and value networks are 13 plain layers each, and two networks ("Neural network
architecture" in the Methods of Silver et al. 2016). Here every stage has a ``ResNet`` of its own
and trains one of its two heads, so that stages, and AlphaGo Zero, differ in training alone.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from azlearn.alphago.planes import PLANES
from azlearn.games import Game
from azlearn.learning import SIZES, DamagedFile, LoadedNetwork, ResNet
from azlearn.learning.denormals import without_tiny
from azlearn.learning.files import described_network, read_tensors, write_tensors

FORMAT = "azlearn stage network 1"


def new_network(game: Game, size: str = "small", rng: np.random.Generator | int = 0) -> ResNet:
    """A network with random first weights.

    Args:
        game: gives the shape of planes and policy.
        size: a name in ``SIZES``.
        rng: a generator, or the seed of one.

    Raises:
        ValueError: an unknown size.
    """
    if size not in SIZES:
        raise ValueError(f"size must be one of {', '.join(SIZES)}, not {size!r}.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(np.random.default_rng(rng).integers(2**63)))
        return ResNet(game, **SIZES[size])


def save_stage_network(
    path: str | Path, planes: str, network: ResNet, info: dict[str, Any]
) -> None:
    """Writes a network, which planes it sees, and what is known about it.

    Args:
        planes: a name in ``PLANES``.
        info: JSON-able.

    Raises:
        ValueError: unknown planes, or a network for others; nothing is written.
        OSError: no space, no permission; ``path`` is as it was.
    """
    game = planes_game(planes)
    if network.planes_shape != (shape := (game.num_planes, game.rows, game.cols)):
        raise ValueError(
            f"The planes {planes!r} have the shape {shape}, but the network sees"
            f" {network.planes_shape}."
        )
    about = {"format": FORMAT, "planes": planes, "size": network.size, "info": info}
    write_tensors(Path(path), without_tiny(network.state_dict()), about)


def load_stage_network(path: str | Path) -> LoadedNetwork:
    """What ``save_stage_network`` wrote; its ``game`` is the one with the network's planes.

    Raises:
        FileNotFoundError: there is no such file.
        DamagedFile: the file is cut short, foreign or of another size than it says.
    """
    path = Path(path)
    tensors, about = read_tensors(path)
    if about.get("format") != FORMAT or about.get("planes") not in list(PLANES):
        raise DamagedFile(f"{path} holds no network of a stage of AlphaGo.")
    return described_network(path, PLANES[about["planes"]](), tensors, about)


def planes_game(planes: str) -> Game:
    """The game that shows the planes of this name.

    Raises:
        ValueError: there are no such planes.
    """
    if planes not in PLANES:
        raise ValueError(f"planes must be one of {', '.join(PLANES)}, not {planes!r}.")
    return PLANES[planes]()
