"""Compiled rollouts by the pattern policy, for the readable search and the compiled search.

``MCTS(game, select, pattern_rollout(policy))`` plays them one at a time and shows their moves;
``compiled_uct(game, state, n, evaluator=compiled_patterns(policy))`` plays a million in seconds.
"""

from functools import cache
from time import perf_counter
from types import FunctionType, ModuleType

import numba
import numpy as np

from azlearn.alphago import go_patterns, pattern_bits
from azlearn.alphago.patterns import OFFSETS
from azlearn.alphago.rollout_policy import RolloutPolicy
from azlearn.games import Game, State, connect_four_rules, specialize
from azlearn.games.notation import read_moves
from azlearn.search import CompiledRollout, Evaluation, Evaluator, random_moves, uniform_rollout
from azlearn.search.compiled_uct import random_bits
from azlearn.search.selection import check_count


def compiled_patterns(policy: RolloutPolicy) -> CompiledRollout:
    """Returns the rollouts of ``policy`` for ``compiled_uct``.

    Another policy for the same game uses the same compiled code. In Connect Four the first move of
    a rollout is chosen without knowing the last stone, because a search's position does not contain
    it. In Go, positions contain it, and rollouts only choose among the ``rollout_options`` of the
    rules, which never fill an eye.
    """
    rules = policy.game.rules
    if rules is connect_four_rules:
        strengths = np.exp(policy.weights)
    else:
        strengths = go_patterns.strengths_of(policy.weights, policy.patterns.offsets)
    return CompiledRollout(rules, _chooser(rules), strengths)


@cache
def _chooser(rules_module: ModuleType) -> FunctionType:
    """Returns the function ``choose`` for ``CompiledRollout``; it samples a move in one pass.

    Each move replaces the one chosen so far with probability ``its strength / (the sum of its
    strength and all strengths before it)``. A move's strength is ``exp`` of its logit, computed as
    a product.
    """
    rules = specialize(rules_module, numba.njit)
    if rules_module is connect_four_rules:
        seen, features_of, offsets = *_of_connect_four(), OFFSETS
        options, num_moves, none = rules.options, rules_module.NUM_ACTIONS, -1
    else:
        _, seen, features_of, offsets = go_patterns.compiled(rules_module)
        options, num_moves, none = rules.rollout_options, rules_module.PASS, rules_module.PASS
    is_legal = rules.is_legal

    @numba.njit
    def choose(state, last, strengths, generator):
        possible, known = options(state), seen(state, last)
        chosen, total = none, 0.0
        for action in range(num_moves):
            if is_legal(possible, action):
                features, strength = features_of(state, known, action), 1.0
                for i in range(len(features)):
                    strength *= strengths[offsets[i] + features[i]]
                total += strength
                if random_bits(generator) * total < strength * 2147483648.0:  # 2**31
                    chosen = action
        return chosen

    return choose


def _of_connect_four() -> tuple[FunctionType, FunctionType]:
    """Returns ``seen`` and ``features_of``, as in ``go_patterns``."""
    bits = specialize(pattern_bits, numba.njit)
    winning_cells, features = bits.winning_cells, bits.features

    @numba.njit
    def seen(state, last):
        occ = state.me | state.opp
        return winning_cells(state.me, occ), winning_cells(state.opp, occ), last

    @numba.njit
    def features_of(state, known, action):
        return features(state.me, state.opp, known[0], known[1], known[2], action)

    return seen, features_of


def pattern_rollout(policy: RolloutPolicy) -> Evaluator:
    """Returns an evaluator that plays a rollout by ``policy``, like ``random_rollout``.

    Raises, when the evaluator is called:
        ValueError: the patterns are for another game.
    """
    rollout = compiled_patterns(policy)

    def evaluate(game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        if getattr(game, "rules", None) is not rollout.rules:
            raise ValueError(f"The pattern policy plays {policy.game.name}, not {game.name}.")
        generator = rng.integers(1, 2**63, size=1, dtype=np.uint64)
        moves, now, last = [], state, -1
        while game.outcome(now) is None:
            last = rollout.choose(now, last, rollout.parameters, generator)
            moves.append(last)
            now = game.next_state(now, last)
        result = game.outcome(now)  # for the player to move in the final position
        value = result if game.to_play(now) == game.to_play(state) else -result
        return Evaluation(None, float(value), moves)

    evaluate.name = "pattern rollout"
    return evaluate


def microseconds_per_move(
    policy: RolloutPolicy,
    network: Evaluator | None = None,
    num_games: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> dict[str, float]:
    """Measures the time per move in µs, on one core of this machine.

    Args:
        network: an evaluator of one position at a time, such as ``NetworkEvaluator``.
        num_games: the number of compiled rollouts from the empty board for each mean.
        rng: a generator, or the seed of one.

    Returns:
        ``"uniform"`` and ``"pattern"``: the time to choose and play a move in a compiled rollout,
        the lowest of five means. ``"network"``, if a network is given: the time per evaluation, the
        median over the positions of three random games.

    Raises:
        ValueError: num_games is below 1.
    """
    check_count(num_games, "num_games")
    rng = np.random.default_rng(rng)
    game, seconds = policy.game, {}
    for name, rollout in {
        "uniform": uniform_rollout(game.rules),
        "pattern": compiled_patterns(policy),
    }.items():
        play_games = _compile_games(game.rules, rollout.choose)
        generator = rng.integers(1, 2**63, size=1, dtype=np.uint64)
        first = game.initial_state()
        play_games(first, 1, rollout.parameters, generator)  # compiles
        means = []
        for _ in range(5):
            started = perf_counter()
            num_moves = 0
            for start in range(0, num_games, 100):  # Ctrl-C only works between two calls
                some = min(100, num_games - start)
                num_moves += play_games(first, some, rollout.parameters, generator)
            means.append((perf_counter() - started) / num_moves)
        seconds[name] = min(means)  # the round that other programs slowed down least
    if network is not None:
        spent = []
        for _ in range(3):
            moves, _ = random_moves(game, game.initial_state(), rng)
            for state in read_moves(game, moves)[1][:-1]:
                started = perf_counter()
                network(game, state, rng)
                spent.append(perf_counter() - started)
        seconds["network"] = float(np.median(spent))
    return {name: 1e6 * value for name, value in seconds.items()}


@cache
def _compile_games(rules_module: ModuleType, choose: FunctionType) -> FunctionType:
    """Compiles a loop that plays whole games and counts their moves."""
    rules = specialize(rules_module, numba.njit)
    play, outcome = rules.play, rules.outcome

    @numba.njit(nogil=True)
    def play_games(first, num_games, parameters, generator):
        num_moves = 0
        for _ in range(num_games):
            state, action = first, -1
            while not outcome(state)[0]:
                action = choose(state, action, parameters, generator)
                state = play(state, action)
                num_moves += 1
        return num_moves

    return play_games
