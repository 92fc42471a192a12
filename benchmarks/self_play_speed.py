"""Measures self-play moves per second of several searches with the same network.

    python benchmarks/self_play_speed.py [--rounds 5] [--games 256] [--simulations 32 128]

256 games of Connect Four start from random openings, on one core. The network (64 channels, 4
blocks, batch norm folded, float32) has random weights, the same for all contenders. The contenders
alternate in each round, so that a machine that slows down slows all of them. The tables show
medians over the rounds, and medians of the ratios within a round. The last table uses other
weights: those of the shipped network, and random weights of which half are denormal.

``pip install -e '.[peers]'`` installs mctx and pgx, the peers on JAX.
"""

import argparse
import importlib.util
import os
import platform
import statistics
import time

import numpy as np
import torch
from peers.one_at_a_time import OneAtATime
from rich.console import Console
from rich.table import Table

from azlearn.games import ConnectFour, State
from azlearn.learning import NetworkEvaluator, ResNet, load_network
from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import TrainSettings
from azlearn.search import BatchedSearch

GAME = ConnectFour()
BARE, BARE_JAX = "bare network, PyTorch", "bare network, JAX"
SLOWEST = "one position at a time, Python"
MOVES_ONE_BY_ONE = 2  # moves per call, because calls with one position at a time are slow


def random_openings(num_games: int, seed: int = 0) -> list[list[int]]:
    """The actions of ``num_games`` unfinished games of 0 to 24 random moves."""
    rng, openings = np.random.default_rng(seed), []
    while len(openings) < num_games:
        state, moves = GAME.initial_state(), []
        for _ in range(rng.integers(25)):
            if legal := GAME.legal_actions(state):
                moves.append(int(rng.choice(legal)))
                state = GAME.next_state(state, moves[-1])
        if GAME.outcome(state) is None:
            openings.append(moves)
    return openings


def positions(openings: list[list[int]]) -> State:
    """The positions after these moves, int64 [B]."""
    states = [GAME.from_moves("".join(str(action + 1) for action in o)) for o in openings]
    return State(*np.array(states, dtype=np.int64).T.copy())


def moved(states: State, visits: np.ndarray, rng: np.random.Generator) -> State:
    """Plays a move in every game, sampled by visits [B, num_actions]; restarts finished games."""
    marks = rng.random((len(visits), 1)) * visits.sum(axis=1, keepdims=True)
    states = GAME.batch_play(states, (visits.cumsum(axis=1) > marks).argmax(axis=1))
    goes_on = ~GAME.batch_outcome(states)[0]
    return State(states.me * goes_on, states.opp * goes_on)


class OwnPace:
    """Self-play with ``BatchedSearch``: a game moves as soon as its search is done."""

    def __init__(
        self, evaluate, openings: list[list[int]], num_simulations: int, cache_bits: int = 0
    ) -> None:
        self.evaluate, self.num_simulations = evaluate, num_simulations
        self.states, self.rng = positions(openings), np.random.default_rng(0)
        self.engine = BatchedSearch(GAME, len(openings), num_simulations, cache_bits=cache_bits)
        self.engine.start(self.states, num_simulations)

    def __call__(self) -> tuple[int, int]:
        """(moves made, positions evaluated)."""
        engine, num_moves, num_evaluations = self.engine, 0, 0
        engine.clear_cache()  # as training does after every change of the network
        while num_moves < len(self.states.me):
            leaves = engine.select()
            if len(leaves[0]):
                engine.update(*self.evaluate(leaves))
                num_evaluations += len(leaves[0])
            if len(rows := engine.finished_games):
                states = State(*(stones[rows] for stones in self.states))
                states = moved(states, engine.visit_counts[rows, 0], self.rng)
                self.states.me[rows], self.states.opp[rows] = states
                engine.start(states, self.num_simulations, rows=rows)
                num_moves += len(rows)
        return num_moves, num_evaluations


class WholeSelfPlay:
    """``SelfPlay`` as in training, including openings, sampling of moves, and training samples."""

    def __init__(self, evaluate, num_games: int, num_simulations: int) -> None:
        settings = TrainSettings(
            precision="float32", num_games=num_games, simulations=num_simulations,
            first_simulations=num_simulations, window=num_games * GAME.max_plies, first_window=1,
            noise_fraction=0.0, temperature_plies=GAME.max_plies, random_opening_fraction=1.0,
            opening_plies=24,
        )  # fmt: skip
        self.evaluate, self.self_play = evaluate, SelfPlay(settings)

    def __call__(self) -> tuple[int, int]:
        """(moves made, positions evaluated)."""
        _, played = self.self_play.play(self.evaluate, self.self_play.settings.num_games)
        return played.moves, played.evaluations


def by_weights(openings: list[list[int]], num_simulations: int) -> dict[str, OwnPace]:
    """Name -> self-play with these weights, in a network of the shipped network's size."""
    shipped = load_network("connect4").network
    random, planted = ResNet(GAME, **shipped.size), ResNet(GAME, **shipped.size)
    with torch.no_grad():
        for parameter in planted.parameters():
            if parameter.ndim == 4:
                parameter.view(-1)[::2] *= 1e-38
    networks = {"random": random, "connect4, shipped": shipped, "half of them denormal": planted}
    return {
        name: OwnPace(NetworkEvaluator(GAME, network).batch, openings, num_simulations)
        for name, network in networks.items()
    }


def report_weights(found: dict[str, list[tuple[float, float]]], title: str) -> Table:
    """A table of medians over the rounds; the ratio compares evaluations with random weights'."""
    table = Table(title=title)
    for column in ("weights", "moves/s", "evaluations/s", "ratio"):
        table.add_column(column, justify="left" if column == "weights" else "right")
    random = [evaluations for _, evaluations in found["random"]]
    for name, rounds in found.items():
        moves, evaluations = zip(*rounds, strict=True)
        table.add_row(
            name,
            f"{statistics.median(moves):,.1f}",
            f"{statistics.median(evaluations):,.0f}",
            f"{median_ratio(evaluations, random):.2f}",
        )
    return table


def contenders(network: ResNet, openings: list[list[int]], num_simulations: int) -> dict:
    """Name -> a function that makes moves and returns (moves, evaluations)."""
    folded, num_games = network.folded(), len(openings)
    planes = GAME.batch_encode(State(*map(torch.from_numpy, positions(openings))))
    planes = planes.contiguous(memory_format=torch.channels_last)
    evaluate = NetworkEvaluator(GAME, network).batch

    @torch.inference_mode()
    def bare() -> tuple[int, int]:
        folded(planes)
        return 0, num_games

    found = {
        BARE: bare,
        "azlearn BatchedSearch": OwnPace(evaluate, openings, num_simulations),
        "azlearn BatchedSearch, cache": OwnPace(evaluate, openings, num_simulations, cache_bits=18),
        "azlearn SelfPlay, cache": WholeSelfPlay(evaluate, num_games, num_simulations),
        SLOWEST: OneAtATime(folded, num_simulations, MOVES_ONE_BY_ONE),
    }
    if importlib.util.find_spec("mctx") and importlib.util.find_spec("pgx"):
        from peers import mctx_pgx

        with torch.inference_mode():
            answers = tuple(answer.numpy() for answer in folded(planes))
        found[BARE_JAX] = mctx_pgx.BareNetwork(network, planes.numpy(), answers)
        found["mctx + pgx"] = mctx_pgx.MctxSelfPlay(network, openings, num_simulations)
    return found


def speeds(contender, at_least: float) -> tuple[float, float]:
    """(moves, evaluations) per second of CPU time, measured over at least ``at_least`` seconds.

    Other programs on the machine do not count; everything here runs in one thread.
    """
    moves, evaluations, start = 0, 0, time.process_time()
    while (elapsed := time.process_time() - start) < at_least:
        new_moves, new_evaluations = contender()
        moves, evaluations = moves + new_moves, evaluations + new_evaluations
    return moves / elapsed, evaluations / elapsed


def measured(contenders: dict, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """``speeds`` of every contender in every round."""
    found = {name: [] for name in contenders}
    for contender in contenders.values():  # warm up: compile, fill caches, spread the games' plies
        contender()
    for _ in range(rounds):
        for name, contender in contenders.items():
            found[name].append(speeds(contender, at_least=0.5))
    return found


def report(found: dict[str, list[tuple[float, float]]], title: str) -> Table:
    """A table of medians over the rounds."""
    table = Table(title=title)
    table.add_column("search", no_wrap=True)
    for column in (
        "moves/s",
        "slowest to fastest",
        "evaluations/s",
        "% of bare network",
        "ratio",
    ):
        table.add_column(column, justify="right")
    slowest = [moves for moves, _ in found[SLOWEST]]
    for name, rounds in found.items():
        moves, evaluations = ([pair[k] for pair in rounds] for k in (0, 1))
        bare = [e for _, e in found[BARE_JAX if name == "mctx + pgx" else BARE]]
        cells = [name, "", "", f"{statistics.median(evaluations):,.0f}", "", ""]
        if name not in (BARE, BARE_JAX):
            cells[1] = f"{statistics.median(moves):,.1f}"
            cells[2] = f"{min(moves):,.1f} to {max(moves):,.1f}"
            cells[4] = f"{median_ratio(evaluations, bare):.0%}"
            cells[5] = f"{median_ratio(moves, slowest):,.1f}"
        table.add_row(*cells)
    return table


def median_ratio(one: list[float], other: list[float]) -> float:
    """The median of the ratios within a round."""
    return statistics.median(a / b for a, b in zip(one, other, strict=True))


def use_one_core() -> None:
    """Makes JAX compute on one core, as PyTorch does."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    if hasattr(os, "sched_setaffinity"):  # Linux
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--simulations", type=int, nargs="+", default=[32, 128])
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=4)
    options = parser.parse_args()
    use_one_core()
    torch.manual_seed(0)
    network = ResNet(GAME, options.channels, options.blocks)
    openings = random_openings(options.games)
    console = Console(width=110)
    for num_simulations in options.simulations:
        found = measured(contenders(network, openings, num_simulations), options.rounds)
        if BARE_JAX not in found:
            print("mctx + pgx are left out. To install them: pip install -e '.[peers]'")
        title = (
            f"{num_simulations} simulations per move, {options.games} games,"
            f" {options.channels} channels x {options.blocks} blocks,\n"
            f"medians of {options.rounds} rounds, one core, Python {platform.python_version()}"
        )
        console.print(report(found, title))
    num_simulations = options.simulations[0]
    found = measured(by_weights(openings, num_simulations), options.rounds)
    title = f"BatchedSearch with other weights, the size of connect4, {num_simulations} simulations"
    console.print(report_weights(found, title))


if __name__ == "__main__":
    main()
