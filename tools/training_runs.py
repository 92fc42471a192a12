"""Makes the training runs of the bug clinic, measures every iteration, and stores them as JSON.

``python -m tools.training_runs`` trains them again and writes ``training_runs.json``.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from azlearn.course import stored_runs
from azlearn.course.patches import patched
from azlearn.course.training_cases import CASES
from azlearn.course.training_clinic import ITERATIONS, POSITION
from azlearn.games import State, TicTacToe, minimax_actions, minimax_value
from azlearn.learning.living_filters import filter_norms
from azlearn.minimal import AlphaZero, PlayedGame
from azlearn.search import MCTS, Recorder, puct

GAME = TicTacToe()
FILE = Path(stored_runs.__file__).with_name("training_runs.json")
RUNS = {"right": AlphaZero} | {
    case.evidence: patched(AlphaZero, *case.patches) for case in CASES.values()
}


@cache
def positions() -> tuple[list[State], np.ndarray, list[set[int]]]:
    """One unfinished position per set of symmetric images: states, values and best moves."""
    known: dict[State, int] = {}
    minimax_value(GAME, GAME.initial_state(), known)
    first: dict[bytes, State] = {}
    for state in known:
        if GAME.outcome(state) is None:
            images = GAME.symmetries(GAME.encode(state), np.zeros(9))
            first.setdefault(min(planes.tobytes() for planes, _ in images), state)
    states = list(first.values())
    best = [set(minimax_actions(GAME, state, known)) for state in states]
    return states, np.array([known[state] for state in states]), best


def kept(training: AlphaZero, num_simulations: int) -> list[bool]:
    """Whether the player's move preserves the value, in each position where not all moves do.

    Args:
        num_simulations: 0 means the network without search.
    """
    states, _, best = positions()
    hard = [i for i in range(len(states)) if len(best[i]) < len(GAME.legal_actions(states[i]))]
    asked = GAME.stack([states[i] for i in hard])
    if num_simulations:
        moves = training.search(asked, num_simulations, False).argmax(1)
    else:
        moves = training.evaluate(asked)[0].argmax(1)
    return [int(move) in best[i] for i, move in zip(hard, moves, strict=True)]


def measures(training: AlphaZero) -> dict[str, float]:
    """Measures the network against the truth: strength, values, one position in two batches."""
    states, truth, _ = positions()
    empty = GAME.initial_state()
    values = training.evaluate(GAME.stack(states))[1]
    found = {
        name: values[truth == v].mean() for name, v in (("won", 1), ("drawn", 0), ("lost", -1))
    }
    return found | {
        "alone": np.mean(kept(training, 0)),
        "at_25": np.mean(kept(training, 25)),
        "empty_alone": training.evaluate(GAME.stack([empty]))[1][0],
        "empty_among_others": values[states.index(empty)],
    }


def turn(training: AlphaZero) -> dict[str, float]:
    """One iteration: plays, measures the losses on the new games, then trains on them."""
    played = training.play()
    new = training.samples(played)
    training.network.eval()
    with torch.no_grad():
        value_fresh, policy_fresh, _ = training.losses(new, turned=False)
    training.keep(new)
    value, policy = np.mean(training.learn(), axis=0)
    draws = np.mean([GAME.outcome(final) == 0 for *_, final in played])
    losses = {"value": value, "value_fresh": value_fresh, "policy": policy}
    return losses | {"policy_fresh": policy_fresh, "entropy": entropy(played), "draws": draws}


def entropy(played: list[PlayedGame]) -> float:
    """The entropy of the visit shares, averaged over all searches, in nats."""
    shares = [n[n > 0] / n.sum() for game in played for n in game.visits]
    return float(np.mean([-(p * np.log(p)).sum() for p in shares]))


def train(kind: type[AlphaZero], iterations: int = ITERATIONS, seed: int = 0) -> dict[str, Any]:
    """A run: its curves, the value-preserving moves at the end, and the same search made twice."""
    training = kind(GAME, seed)
    rows = [turn(training) | measures(training) for _ in range(iterations)]
    searches = [search(training, seed) for seed in (0, 0)]
    return {
        "seed": seed,
        "curves": {name: [round(float(row[name]), 3) for row in rows] for name in rows[0]},
        "filters": filters(training),
        "kept": "".join("01"[holds] for holds in kept(training, 25)),
        "visits": [recording.tree.root.visit_counts for recording in searches],
        "record": searches[0].to_dict(),
    }


def filters(training: AlphaZero) -> dict[str, list[float]]:
    """For each layer, the norms of its filters relative to the largest, in descending order."""
    return {
        layer: [round(x, 6) for x in (norms / norms.max()).sort(descending=True).values.tolist()]
        for layer, norms in filter_norms(training.network).items()
    }


def search(training: AlphaZero, seed: int):
    """Runs fifty simulations on ``POSITION``, without noise at the root, as in a match."""
    recorder = Recorder()

    def evaluate(game, state, rng):
        p, v = training.evaluate(GAME.stack([state]))
        return np.round(p[0].astype(float), 6), round(float(v[0]), 6)

    mcts = MCTS(GAME, puct(), evaluate, recorder=recorder)
    mcts.run(GAME.from_moves(POSITION), 50, seed)
    return recorder.recording()


def main() -> None:
    """Trains all runs in turn, and writes the file."""
    found = {}
    for name, kind in RUNS.items():
        found[name] = train(kind)
        print(name, flush=True)
        FILE.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
    found["right again"] = train(AlphaZero, seed=1)
    FILE.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
