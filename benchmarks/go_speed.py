"""Measures the speed of the Go rules: ``python benchmarks/go_speed.py`` (one core, one minute).

With compiled rules: random playouts per second (they fill no eyes), and nanoseconds for the legal
moves, for a move and for the result. For a batch of 256: milliseconds for the legal masks, compiled
on a CPU and by plain arithmetic on tensors. With Python ints: microseconds for the legal moves and
for a move.
"""

from time import perf_counter

import numba
import numpy as np
import torch

from azlearn.games import RulesGame, specialize
from azlearn.games.go import Go
from azlearn.games.state_codec import state_reader
from azlearn.search.compiled_uct import compile_rollout, uniform_rollout


def best(function, repeat: int = 5) -> float:
    """The shortest time of several runs, in seconds."""
    times = []
    for _ in range(repeat):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def random_positions(game: Go, n: int) -> list:
    rng, found = np.random.default_rng(0), []
    while len(found) < n:
        state = game.initial_state()
        while legal := game.legal_actions(state):
            found.append(state)
            state = game.next_state(state, int(rng.choice(legal[:-1] or legal)))
    return [found[i] for i in rng.permutation(len(found))[:n]]


def playouts(game: Go, n: int = 5000) -> float:
    """Random games per second, from the empty board."""
    policy = uniform_rollout(game.rules)
    rollout = compile_rollout(game.rules, policy.choose)

    @numba.njit
    def run(state, n, generator, parameters):
        total = 0.0
        for _ in range(n):
            total += rollout(state, parameters, generator)
        return total

    arguments = np.array([1], np.uint64), policy.parameters
    run(game.initial_state(), 1, *arguments)
    return n / best(lambda: run(game.initial_state(), n, *arguments), 3)


def nanoseconds(game: Go, words: np.ndarray, question: str) -> float:
    """Nanoseconds per call of one function of the compiled rules."""
    rules, read = specialize(game.rules, numba.njit), state_reader(game.rules, numba.njit)
    ask, last, is_move = getattr(rules, question), game.num_actions - 1, question == "play"

    @numba.njit
    def run(words, times):
        total = 0
        for _ in range(times):
            for i in range(len(words)):
                state = read(words[i])
                answer = ask(state, i % last) if is_move else ask(state)
                total += hash(answer)
        return total

    run(words, 1)
    return best(lambda: run(words, 20)) / 20 / len(words) * 1e9


def report(game: Go) -> str:
    states = random_positions(game, 1024)
    batch = game.stack(states[:256])
    tensors = game.State(*map(torch.from_numpy, batch))
    words = np.stack(game.stack(states), axis=1)
    ns = {
        question: nanoseconds(game, words, question) for question in ("options", "play", "outcome")
    }
    masks = (game.batch_legal_mask, lambda batch: RulesGame.batch_legal_mask(game, batch))
    ms = [(mask(tensors), best(lambda mask=mask: mask(tensors)) * 1e3)[1] for mask in masks]
    alone = (game.legal_actions, lambda state: game.rules.play(state, 0))
    us = [best(lambda ask=ask: [ask(s) for s in states]) / len(states) * 1e6 for ask in alone]
    return (
        f"{game.size}x{game.size}: {playouts(game):,.0f} playouts/s;"
        f" ns {', '.join(f'{question} {t:.0f}' for question, t in ns.items())};"
        f" masks of 256: {ms[0]:.2f} ms, plain {ms[1]:.1f} ms;"
        f" Python: legal_actions {us[0]:.0f} us, play {us[1]:.1f} us"
    )


def main() -> None:
    for size in (5, 7, 9):
        print(report(Go(size)), flush=True)


if __name__ == "__main__":
    main()
