"""Self-play of one game of many: searches, moves, records and samples, without calling Python.

A game advances by itself until it needs the network: when a search is complete, its move is made
and the next search starts. A finished game waits to be collected. Collecting it moves its samples
to the ring and gives its slot to the next game.
"""

from collections.abc import Callable
from functools import cache
from math import floor, log
from types import ModuleType
from typing import Any, NamedTuple

from azlearn.search.engine.backends import jit_of
from azlearn.search.engine.columns import COUNTS
from azlearn.search.engine.draws import (
    COPIES,
    FULL,
    MOVE,
    OPENING,
    dirichlet,
    gumbel,
    uniform,
)
from azlearn.search.engine.tree import tree_functions
from azlearn.search.proofs import UNKNOWN, undecided_rows
from azlearn.search.tree_policy import TreePolicy

# The dials of self-play, float64 [len(DIALS)]: settings that may change between two calls.
DIALS = (
    "simulations", "fast_simulations", "full_search_prob", "temperature_plies", "noise_total",
    "noise_fraction", "random_opening_fraction", "opening_plies", "played_out_fraction",
    "threshold",
    "value_target_mix", "surprise_fraction",
)  # fmt: skip
(
    _SIMULATIONS, _FAST, _FULL_SHARE, _TEMPERATURE, _NOISE_TOTAL, NOISE_FRACTION, _OPENING_SHARE,
    _OPENING_PLIES, _PLAYED_OUT, _THRESHOLD, _VALUE_SHARE, _SURPRISE,
) = range(len(DIALS))  # fmt: skip
(
    _GAMES, _MOVES, _CACHED, _WINS, _DRAWS, _PLIES, _RESIGNED, _DECIDED, _OUT, _FALSE, _SAMPLES,
) = range(len(COUNTS))  # fmt: skip
GOLDEN = (5**0.5 - 1) / 2  # its multiples, modulo 1, are spread evenly over [0, 1]
MIN_PRIOR = 1e-9  # keeps the surprise finite if single precision has rounded a prior to 0
NOBODY = 2.0  # in Games.calm, above any possible value


def surprise_of(target, prior, noise, noise_fraction):
    """The surprise KL(π ‖ P) in nats: how much the search's policy differs from the network's.

    Args:
        target: float [num_actions], π, the policy target.
        prior: float [num_actions], of the root, with noise; P is the prior without it.
        noise: float [num_actions], of the root; zeros for none.
        noise_fraction: the weight of the noise in ``prior``.
    """
    noisy, total = False, 0.0
    for a in range(len(noise)):
        noisy = noisy or (noise[a] != 0 and noise_fraction < 1)
    for a in range(len(target)):
        if target[a] > 0:
            p = prior[a]
            if noisy:
                p = (p - noise_fraction * noise[a]) / (1 - noise_fraction)
            total += target[a] * log(target[a] / max(p, MIN_PRIOR))
    return max(0.0, total)


class PlayFunctions(NamedTuple):
    """The functions that the loops call, compiled for one back end; ``g`` is a game's row."""

    advance: Callable[..., Any]
    collect: Callable[..., Any]
    begin: Callable[..., Any]
    open_game: Callable[..., Any]


@cache
def play_functions(
    rules_module: ModuleType,
    tree_policy: type[TreePolicy],
    backend: str,
    use_solver: bool,
    reuses_tree: bool,
    with_ends: bool,
) -> PlayFunctions:
    """Compiles the functions for one rules module and one tree policy.

    Args:
        use_solver: use proofs, see proofs.py; a game ends when its result is proven.
        reuses_tree: a search starts with the last search's subtree of its position.
        with_ends: a sample contains its position and the last position of its game.
    """
    jit = jit_of(backend)
    tree = tree_functions(rules_module, tree_policy, backend, use_solver)
    store, state_of, write_legal, ended = tree.store, tree.state_of, tree.write_legal, tree.ended
    play, to_play, search, lift, proof = tree.play, tree.to_play, tree.search, tree.lift, tree.proof
    num_actions, num_words = rules_module.NUM_ACTIONS, len(rules_module.State._fields)
    initial, mixes_noise = tuple(rules_module.INITIAL), tree_policy.mixes_noise
    root_move, root_target = jit(tree_policy.root_move), jit(tree_policy.root_target)
    root_worth, surprise = jit(tree_policy.root_worth), jit(surprise_of)

    @jit
    def begin(trees, games, dials, seed, g, node):
        """Starts the next move's search from a node's subtree in the last search; 0 = none."""
        state, run = state_of(games.words[g]), int(seed[0])
        number, ply = int(games.number[g]), int(games.ply[g])
        share, budget = dials[_FULL_SHARE], int(dials[_SIMULATIONS])
        is_full = share >= 1.0 or uniform(run, FULL, number, ply, 0) < share
        games.is_full[g] = is_full
        if is_full:
            write_legal(trees.leaf_is_legal[g], state)
            if mixes_noise:
                total = dials[_NOISE_TOTAL]
                dirichlet(trees.noise[g], total, trees.leaf_is_legal[g], run, number, ply)
            else:
                gumbel(trees.noise[g], trees.leaf_is_legal[g], run, number, ply)
        else:
            budget = min(budget, int(dials[_FAST]))
            for a in range(num_actions):
                trees.noise[g, a] = 0.0
        visits = 0
        if reuses_tree and node > 0:
            lift(trees, g, node, dials[NOISE_FRACTION] if mixes_noise else 0.0)
            for a in range(num_actions):
                visits += trees.visit_counts[g, 0, a]
        else:
            store(trees.words[g, 0], state)
            trees.num_nodes[g] = 0
        trees.remaining[g], trees.waiting[g] = max(budget - visits, 1), False

    @jit
    def open_game(trees, games, dials, seed, g, number):
        """Starts a game from the initial position or after random moves, and its first search.

        The random moves never lead to a finished position.
        """
        run, most = int(seed[0]), int(dials[_OPENING_PLIES])
        games.number[g], games.num_records[g], games.is_over[g] = number, 0, False
        attempt, is_open = 0, False
        while not is_open:
            num_plies = 0
            if most and uniform(run, OPENING, number, attempt, 0) < dials[_OPENING_SHARE]:
                num_plies = 1 + int(uniform(run, OPENING, number, attempt, 1) * most)
            for w in range(num_words):
                games.words[g, w] = initial[w]
            is_open, legal = True, trees.leaf_is_legal[g]
            for ply in range(num_plies):
                if is_open:
                    state, num_legal, last = state_of(games.words[g]), 0, 0
                    write_legal(legal, state)
                    for a in range(num_actions):
                        num_legal += legal[a]
                    left = int(uniform(run, OPENING, number, attempt, 2 + ply) * num_legal)
                    for a in range(num_actions):
                        if legal[a] and left >= 0:
                            last, left = a, left - 1
                    state = play(state, last)
                    store(games.words[g], state)
                    is_open = not ended(state)[0]
            games.ply[g] = num_plies
            attempt += 1
        begin(trees, games, dials, seed, g, 0)

    @jit
    def drawn(target, u):
        """Samples an action in proportion to ``target``, with a uniform number ``u`` in (0, 1)."""
        total, below, action = 0.0, 0.0, -1
        for a in range(num_actions):
            total += target[a]
        for a in range(num_actions):
            if target[a] > 0.0 and (action < 0 or below <= u * total):
                action = a
            below += target[a]
        return action

    @jit
    def is_played_out(games, dials, g):
        """Whether the game goes on after resignation or proof; such games are evenly spread."""
        part = int(games.number[g]) * GOLDEN
        return part - floor(part) < dials[_PLAYED_OUT]

    @jit
    def finish(games, dials, seed, g, player):
        """Counts a finished game's samples and statistics, including those on resignation.

        ``player`` is the player to move at its end; ``games.outcome`` is for this player.
        """
        z, last, surprised = int(games.outcome[g]), player, 0.0
        num_records, number = int(games.num_records[g]), int(games.number[g])
        share, calm = dials[_SURPRISE], NOBODY
        for i in range(num_records):
            surprised += games.past_surprise[g, i]
        num_rows, entropy = 0, 0.0
        for i in range(num_records - 1, -1, -1):
            mover = games.past_mover[g, i]
            if games.past_proven[g, i]:
                z, last = int(games.past_value[g, i]), mover
            if (z if mover == last else -z) >= 0:
                calm = min(calm, games.past_value[g, i])
            copies = 1
            if share > 0.0:  # KataGo's policy surprise weighting, see ``SelfPlay``
                relative = games.past_surprise[g, i] * num_records / surprised if surprised else 1.0
                weight = 1 - share + share * relative
                copies = int(weight + uniform(int(seed[0]), COPIES, number, i, 0))
            games.past_copies[g, i] = copies
            num_rows += copies
            for a in range(num_actions):
                p = float(games.past_policy[g, i, a])
                if p > 0.0:
                    entropy -= p * log(p)
        games.num_rows[g], games.is_over[g], games.calm[g] = num_rows, True, NOBODY
        games.entropy[g] += entropy
        counts = games.counts[g]
        if is_played_out(games, dials, g):
            counts[_OUT] += 1
            games.calm[g] = calm
            counts[_FALSE] += calm < dials[_THRESHOLD]
        counts[_GAMES] += 1
        counts[_PLIES] += games.ply[g]
        counts[_SAMPLES] += num_records
        counts[_DRAWS] += games.outcome[g] == 0
        counts[_WINS] += games.outcome[g] == (1 if player == 0 else -1)

    @jit
    def move(trees, games, numbers, dials, seed, g):
        """Makes the move that the search found; returns the node after it, 0 for none."""
        state, run = state_of(games.words[g]), int(seed[0])
        number, ply, mover = int(games.number[g]), int(games.ply[g]), to_play(state)
        visits, value_sum = games.visits[g], games.value_sum[g]
        prior, target = games.prior[g], games.target[g]
        raw_value, noise = trees.raw_value[g, 0], trees.noise[g]
        are_counts, proven = True, UNKNOWN
        for a in range(num_actions):
            visits[a], value_sum[a] = trees.visit_counts[g, 0, a], trees.value_sum[g, 0, a]
            prior[a] = trees.prior[g, 0, a]
        value = 0.0
        if use_solver:
            proven = proof(trees, g, 0)
            if proven == UNKNOWN:
                value = root_worth(visits, value_sum, prior, raw_value, noise, numbers)
            else:
                value = float(proven)
            found = undecided_rows(
                trees.is_legal[g, 0], trees.proven[g, 0], trees.visit_counts[g, 0],
                trees.value_sum[g, 0], trees.prior[g, 0], visits, value_sum, prior,
            )  # fmt: skip
            are_counts = found[1]
        else:
            value = root_worth(visits, value_sum, prior, raw_value, noise, numbers)
        root_target(target, visits, value_sum, prior, raw_value, noise, numbers, are_counts)
        if mixes_noise and ply < dials[_TEMPERATURE]:
            action = drawn(target, uniform(run, MOVE, number, ply, 0))
        else:
            action = root_move(visits, value_sum, prior, raw_value, noise, numbers)
        is_full = games.is_full[g]
        if is_full or proven != UNKNOWN:
            i = games.num_records[g]
            games.num_records[g] = i + 1
            games.past_mover[g, i], games.past_value[g, i] = mover, value
            games.past_proven[g, i] = proven != UNKNOWN
            games.past_surprise[g, i] = 0.0
            if dials[_SURPRISE] > 0.0:
                games.past_surprise[g, i] = surprise(
                    target, trees.prior[g, 0], noise, dials[NOISE_FRACTION] if mixes_noise else 0.0
                )
            for w in range(num_words):
                games.past_words[g, i, w] = games.words[g, w]
            for a in range(num_actions):
                games.past_policy[g, i, a] = target[a]
        after = play(state, action)
        store(games.words[g], after)
        games.ply[g] += 1
        games.counts[g, _MOVES] += 1
        player = to_play(after)
        is_over, outcome = ended(after)
        if not is_over and not is_played_out(games, dials, g):
            resigns = proven == UNKNOWN and is_full and value < dials[_THRESHOLD]
            if resigns or proven != UNKNOWN:
                verdict = -1 if resigns else int(proven)  # for the mover
                is_over, outcome = True, verdict if player == mover else -verdict
                games.counts[g, _RESIGNED] += resigns
                games.counts[g, _DECIDED] += not resigns
        if is_over:
            games.outcome[g] = outcome
            finish(games, dials, seed, g, player)
        return int(trees.child[g, 0, action])

    @jit
    def advance(trees, cache, games, numbers, dials, seed, g, most):
        """Plays until the game needs an evaluation, is over, or has made ``most`` descents.

        Returns the number of descents, and whether there is more to do.
        """
        fraction, num_descents = dials[NOISE_FRACTION] if mixes_noise else 0.0, 0
        while not games.is_over[g]:
            found = search(trees, cache, numbers, fraction, g, most - num_descents)
            games.counts[g, _CACHED] += found[0]
            num_descents += found[1]
            if not found[2]:
                return num_descents, not trees.waiting[g]
            node = move(trees, games, numbers, dials, seed, g)
            if not games.is_over[g]:
                begin(trees, games, dials, seed, g, node)
        return num_descents, False

    @jit
    def collect(trees, games, ring, dials, seed, g, first_row, number):
        """Writes a finished game's samples to the ring, and starts game ``number`` in its slot.

        The samples start at row ``first_row``, with the last position first.
        """
        window, row = ring.value_target.shape[0], first_row
        z, last = int(games.outcome[g]), to_play(state_of(games.words[g]))
        share = dials[_VALUE_SHARE]
        for i in range(int(games.num_records[g]) - 1, -1, -1):
            mover = games.past_mover[g, i]
            if games.past_proven[g, i]:
                z, last = int(games.past_value[g, i]), mover
            target = (1 - share) * (z if mover == last else -z) + share * games.past_value[g, i]
            for _ in range(games.past_copies[g, i]):
                at = row % window
                row += 1
                ring.value_target[at] = target
                for w in range(num_words):
                    ring.words[at, w] = games.past_words[g, i, w]
                    if with_ends:
                        ring.words[at, num_words + w] = games.words[g, w]
                for a in range(num_actions):
                    ring.policy_target[at, a] = games.past_policy[g, i, a]
        open_game(trees, games, dials, seed, g, number)

    return PlayFunctions(advance, collect, begin, open_game)
