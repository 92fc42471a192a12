"""What a GPU would need for self-play, counted without one: an ESTIMATE, not a measurement.

    python benchmarks/device_estimate.py [--games 4096] [--simulations 128] [--network 64x4 128x6]
                                         [--game connect4 othello:6] [--json FILE]

Simulations run on tensors that say they are on a GPU but hold no numbers. Their operations, the
bytes that they move and the FLOPs of the network are counted, the mean over a search, and the times
follow from the assumptions below. ``device_speed.py`` measures what this one guesses.

- A *kernel* is an operation that writes memory. Views, and what only asks for a device, are none. A
  convolution with a bias is two: cuDNN's, and the addition.
- *Bytes* are those of every input and every answer of a kernel. Of a table that is looked into,
  only what is taken counts; of memory that is written in places, only these; a repeated (expanded)
  axis counts once. Caches are not thought of.
- *Compiled*: a kernel is what must be written to memory, with all that it is computed from: the
  network's layers, reductions, scans, writes to lasting memory, and what a layer or a scan reads.
  Those of the same size that wait for the same number of kernels are one. All layers stay, each
  one kernel, with what follows in the next.
- A kernel takes ``KERNEL`` seconds and the longer of its bytes over ``BYTES`` and its FLOPs over
  ``FLOPS``. Launches cost nothing, since a CUDA graph holds them.
"""

import argparse
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import prod
from unittest.mock import patch

import torch
from rich.console import Console
from rich.table import Table
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from azlearn.games.tensor_game import TensorGame
from azlearn.learning import ResNet
from azlearn.learning.device import self_play
from azlearn.learning.device.evaluator import DeviceEvaluator
from azlearn.learning.device.host_sync import fake_cuda
from azlearn.learning.device.ring import Ring
from azlearn.learning.device.self_play import DeviceSelfPlay
from azlearn.learning.settings import TrainSettings

KERNEL = 2e-6  # seconds, from the start of a small kernel to that of the next in a graph
BYTES = 2.5e12  # a second: three quarters of an H100's 3.35 TB/s
FLOPS = 300e12, 400e12  # a second, bf16: a third of an H100's; small convolutions reach no more

LAYERS = {"convolution", "addmm", "mm", "bmm"}
SCANS = {"cummin", "cummax", "cumsum", "sort"}
REDUCTIONS = {"sum", "argmax", "amax", "amin", "all", "any", "max", "min", "mean", "_log_softmax"}
REDUCTIONS |= {"native_layer_norm"}
LOOK_UPS = {"index", "index_select", "gather", "take"}
PLACED = {"index_put_", "index_copy_", "scatter_", "put_"}  # write some places of a tensor
NO_KERNEL = {"device", "empty", "empty_strided", "empty_like", "new_empty", "empty_permuted"}


@dataclass
class Step:
    """What one step takes, one operation after the other and compiled."""

    kernels: list[tuple[float, float]] = field(default_factory=list)  # (bytes, FLOPs) of each
    fused: dict[tuple, list[float]] = field(default_factory=dict)  # (wait, size, …) -> the same
    operations: Counter = field(default_factory=Counter)

    def total(self, compiled: bool) -> tuple[int, float, float]:
        """(kernels, bytes, FLOPs)."""
        kernels = list(self.fused.values()) if compiled else self.kernels
        return len(kernels), sum(k[0] for k in kernels), sum(k[1] for k in kernels)

    def seconds(self, compiled: bool, flops: float) -> float:
        """By the assumptions."""
        kernels = self.fused.values() if compiled else self.kernels
        return sum(KERNEL + max(size / BYTES, work / flops) for size, work in kernels)


class Counting(TorchDispatchMode):
    """Counts the operations inside it; see the head of this file for the rules.

    A tensor that was not made in here is lasting memory: a write to it is a kernel even compiled.
    """

    def __init__(self) -> None:
        super().__init__()
        self.step = Step()
        self._made: dict[int, _Made] = {}  # by storage
        self._kept: list = []  # nothing is freed, so that no storage is taken for another

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Counts one operation and runs it."""
        kwargs = kwargs or {}
        with FlopCounterMode(display=False) as flops:
            answer = func(*args, **kwargs)
        name, given = func.overloadpacket.__name__, _tensors((args, kwargs))
        answers = [t for t in _tensors(answer) if t.device.type != "cpu"]
        self._kept.append((given, answers))
        aliases = [each.alias_info for each in func._schema.returns]
        is_view = any(alias is not None and not alias.is_write for alias in aliases)
        in_place = any(alias is not None and alias.is_write for alias in aliases)
        if is_view or not answers or name in NO_KERNEL:
            return answer
        read = _bytes_read(name, given, answers)
        written = max(_size(t) for t in given[1:]) if name in PLACED else sum(map(_size, answers))
        self.step.operations[name] += 1
        self.step.kernels.append((read + written, flops.get_total_flops()))
        if name == "convolution" and args[2] is not None:
            self.step.kernels.append((2 * written, 0))
        self._fuse(name, given, answers, in_place, read, written, flops.get_total_flops())
        return answer

    def _fuse(self, name, given, answers, in_place, read, written, flops) -> None:
        """What stays of the operation when it is compiled."""
        if name in LAYERS | SCANS:  # these read memory: what they need must be there
            for tensor in given:
                self._materialize(tensor)
        wait, needed = 0, {}
        for tensor in given:
            made = self._made.get(_storage(tensor))
            wait = max(wait, made.wait if made else 0)
            in_memory = made is None or made.lasts or made.is_written
            if name in LOOK_UPS and tensor is given[0] and in_memory:
                needed[len(self._kept), 0] = sum(map(_size, answers))
            elif made is not None and not made.lasts:
                needed |= made.needed
            elif not (name in PLACED and tensor is given[0]):
                needed[_storage(tensor), 1] = _size(tensor)
        place = _storage(answers[0])
        lasts = in_place and (place not in self._made or self._made[place].lasts)
        made = _Made(wait, needed, prod(answers[0].shape), written, lasts)
        if name in PLACED:
            made.numel = max(t.numel() for t in given[1:])
        for tensor in answers:
            self._made[_storage(tensor)] = made
        if lasts or name in LAYERS | SCANS | REDUCTIONS:
            alone = len(self._kept) if name in LAYERS | SCANS else None
            numel = max(t.numel() for t in given) if name in REDUCTIONS else made.numel
            self._write(made, numel, alone, flops)

    def _materialize(self, tensor) -> None:
        made = self._made.get(_storage(tensor))
        if made is not None and not made.is_written:
            self._write(made, made.numel, None, 0)

    def _write(self, made: "_Made", numel: int, alone: int | None, flops: float) -> None:
        size = sum(made.needed.values()) + made.written
        kernel = self.step.fused.setdefault((made.wait, numel, alone), [0, 0])
        kernel[0] += size
        kernel[1] += flops
        made.wait, made.is_written = made.wait + 1, True
        made.needed = {(id(made), 2): made.written}


@dataclass
class _Made:
    """A tensor that was made while counting."""

    wait: int  # for how many kernels, one after the other
    needed: dict[tuple, float]  # bytes in memory from which it can be computed, by what they are
    numel: int
    written: float
    lasts: bool
    is_written: bool = False


def _tensors(tree) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _size(tensor: torch.Tensor) -> int:
    """Bytes; a repeated axis counts once."""
    shape = [n for n, stride in zip(tensor.shape, tensor.stride(), strict=True) if stride or n == 1]
    return prod(shape) * tensor.element_size()


def _bytes_read(name: str, given: list[torch.Tensor], answers: list[torch.Tensor]) -> int:
    if name in LOOK_UPS:
        return sum(map(_size, answers)) + sum(_size(t) for t in given[1:])
    return sum(_size(t) for t in (given[1:] if name in PLACED else given))


@dataclass
class Search:
    """What a move of all games takes: two steps, and simulations of several sizes."""

    begin: Step
    move: Step
    simulations: list[tuple[int, Step]]  # (how many of these, one)

    def mean(self, compiled: bool) -> tuple[float, float, float]:
        """(kernels, bytes, FLOPs) of a simulation."""
        totals = [(times, step.total(compiled)) for times, step in self.simulations]
        number = sum(times for times, _ in totals)
        return tuple(sum(times * total[k] for times, total in totals) / number for k in range(3))

    def seconds(self, compiled: bool, flops: float) -> tuple[float, float]:
        """Of the simulations, and of the rest, which is never compiled."""
        simulations = sum(times * step.seconds(compiled, flops) for times, step in self.simulations)
        return simulations, self.begin.seconds(False, flops) + self.move.seconds(False, flops)


def counted(game, channels: int, blocks: int, num_games: int, simulations: int) -> Search:
    """The steps of ``DeviceSelfPlay``, counted with fake tensors.

    Raises:
        RuntimeError: this PyTorch makes no tensors of a GPU that is not there.
    """
    settings = TrainSettings(
        game=game, num_games=num_games, simulations=simulations, first_simulations=simulations,
        trees="device", precision="bfloat16", opening_plies=0, first_window=1,
    )  # fmt: skip
    rules = settings.make_game()
    settings = replace(settings, window=num_games * rules.max_plies)
    with fake_cuda(), patch.object(self_play, "NUM_OPENINGS", 16):  # they cost no kernel
        with torch.device("cuda:0"):
            network = ResNet(rules, channels, blocks, value_norm=True)
        evaluate = DeviceEvaluator(TensorGame(rules, "cuda:0"), network, dtype=torch.bfloat16)
        games = DeviceSelfPlay(settings, evaluate, Ring(rules, settings.window, "cuda:0"))

        def count(step, *args) -> Step:
            with Counting() as counting:
                step(*args)
            return counting.step

        begin, sizes = count(games.begin), []
        first = [0, *(2**power for power in range(3, simulations.bit_length()))]
        for start, stop in pairwise([*(n for n in first if n < simulations), simulations]):
            sizes.append((stop - start, count(games.simulate, start)))  # alike up to ``stop``
        return Search(begin, count(games.move), sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--simulations", type=int, default=128)
    parser.add_argument("--network", nargs="+", default=["64x4", "128x6"], metavar="CxB")
    parser.add_argument("--game", nargs="+", default=["connect4", "othello:6"])
    parser.add_argument("--json", help="a file for the numbers")
    options = parser.parse_args()
    table = Table(
        title=f"ESTIMATE, not measured: {options.games:,} games, {options.simulations} simulations,"
        f"\n{KERNEL * 1e6:g} µs a kernel, {BYTES / 1e12:g} TB/s, {FLOPS[0] / 1e12:g} to"
        f" {FLOPS[1] / 1e12:g} TFLOP/s (bf16), no launch costs"
    )
    for column in ("game", "network", "as", "kernels", "MB", "GFLOP", "ms", "moves/s"):
        table.add_column(column, justify="left" if column in ("game", "network", "as") else "right")
    found = []
    for game in options.game:
        for network in options.network:
            sizes = map(int, network.split("x"))
            search = counted(game, *sizes, options.games, options.simulations)
            for compiled in (False, True):
                found.append(estimate(search, options, compiled) | {"game": game, "net": network})
                row = found[-1]
                table.add_row(
                    game, network, row["as"], f"{row['kernels']:.0f}", f"{row['MB']:,.0f}",
                    f"{row['GFLOP']:.0f}", "{:.2f} to {:.2f}".format(*row["ms"]),
                    "{:,.0f} to {:,.0f}".format(*row["moves_per_second"]),
                )  # fmt: skip
    Console(width=110).print(table)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)


def estimate(search: Search, options, compiled: bool) -> dict:
    """One row: of a simulation, and moves a second with what comes before and after them."""
    kernels, size, flops = search.mean(compiled)
    times = [search.seconds(compiled, peak) for peak in reversed(FLOPS)]  # the shorter first
    return {
        "as": "compiled" if compiled else "graphs", "kernels": kernels, "MB": size / 1e6,
        "GFLOP": flops / 1e9, "ms": [1e3 * each / options.simulations for each, _ in times],
        "moves_per_second": [options.games / (each + rest) for each, rest in reversed(times)],
    }  # fmt: skip


if __name__ == "__main__":
    main()
