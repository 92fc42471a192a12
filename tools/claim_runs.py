"""Runs the experiments behind claims of the chapters: ``python tools/claim_runs.py NAME``.

Each experiment runs code of the chapter itself where it can, and prints its figures with 95%
intervals. Positions are the 1,000 solved ones; where seeds share positions, a position is one
observation.
"""

import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple
from unittest.mock import patch

import nbformat
import numpy as np
import torch
from scipy.stats import t as student

from azlearn.alphago import (
    AlphaGoEvaluator,
    RolloutPolicy,
    compiled_patterns,
    load_stage_network,
    pattern_rollout,
)
from azlearn.arena import (
    CompiledUCTPlayer,
    Match,
    PUCTPlayer,
    elo,
    equal_time,
    evaluate,
    load_positions,
    make_player,
    play_match,
    seconds_per_move,
    wilson_interval,
)
from azlearn.arena.alphago_report import SHIPPED
from azlearn.arena.players import choose_all
from azlearn.course.patches import Patch, patched
from azlearn.games import ConnectFour, State, TicTacToe, template
from azlearn.games.named import make_game
from azlearn.learning import NetworkEvaluator, ResNet, load_network
from azlearn.learning.living_filters import living_units
from azlearn.search import (
    MCTS,
    BatchedSearch,
    MCTSSolver,
    compiled_uct,
    gumbel,
    puct,
    random_rollout,
    uct,
)

ROOT = Path(__file__).resolve().parents[1]
RUNS: dict[str, Callable[[], None]] = {}
GAME, POSITIONS = ConnectFour(), load_positions()
MIDGAME = GAME.from_moves("2434432122")  # of chapter 02
GNUGO_RULES = "--chinese-rules --capture-all-dead"


def run(function: Callable[[], None]) -> Callable[[], None]:
    """Registers an experiment by the name of its function."""
    RUNS[function.__name__] = function
    return function


def cells(chapter: str, *ids: str, **names: Any) -> dict[str, Any]:
    """Executes code cells of a chapter in order; returns what they define."""
    (path,) = (ROOT / "notebooks").glob(f"{chapter}_*.ipynb")
    code = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    names["display"] = lambda *shown: None
    for cell in ids:
        exec(compile(code[cell], f"{path.name}, cell {cell}", "exec"), names)
    return names


def mean_of(values) -> str:
    """The mean of a difference or value per position (or seed), with Student's interval."""
    values = np.asarray(values, float)
    half = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / sqrt(len(values))
    return f"{values.mean():+.4f} ± {half:.4f} (n = {len(values)})"


def score(match: Match) -> str:
    """A match's score with its interval; an opening's two games are one observation."""
    table = match.table()
    low, high = table["score_interval"]
    return f"{table['score']:.1%} ({low:.1%} to {high:.1%}, {len(match.games)} games)"


def share(hits: int, n: int) -> str:
    """A share with Wilson's interval."""
    low, high = wilson_interval(int(hits), n)
    return f"{hits / n:.1%} ({low:.1%} to {high:.1%}, n = {n})"


@run
def first_tree() -> None:
    """Chapter 00: the favorites after 600 simulations, 300 seeds."""
    state, n = GAME.from_moves("44443"), 300
    orders = [
        np.argsort(compiled_uct(GAME, state, 600, c=1.0, rng=seed).root.visit_counts)[::-1]
        for seed in range(n)
    ]
    print("the favorite is 2 or 5:", share(sum(order[0] in (1, 4) for order in orders), n))
    print("2 and 5 lead:", share(sum({*order[:2]} == {1, 4} for order in orders), n))


@run
def flat_and_bandit() -> None:
    """Chapter 02: UCB1 against flat Monte Carlo with 200 games, eight seeds, paired."""
    found = cells(
        "02",
        "155b8030",
        "c07ab569",
        "32d34f75",
        "2d-ucb1",
        "3dec63d9",
        "18685a2b",
        "b24d8682",
        midgame=MIDGAME,
    )
    players = {"flat": found["FlatPlayer"](200)}
    players |= {f"c = {c:.2f}": found["BanditPlayer"](200, c=c) for c in (0.3, 1.0, 2 * sqrt(2))}
    kept = {
        name: np.array([
            [p.keeps_value(player.choose(p.state, np.random.default_rng([seed, i])))
             for i, p in enumerate(POSITIONS)] for seed in range(8)
        ]).mean(axis=0)
        for name, player in players.items()
    }  # fmt: skip
    is_late = np.array([p.ply >= 27 for p in POSITIONS])
    is_quiet = np.array([p.tactic == "quiet" for p in POSITIONS])
    for title, chosen in (("all", ...), ("late", is_late), ("quiet", is_quiet)):
        for name in kept:
            line = f"{kept[name][chosen].mean():.1%}"
            if name != "flat":
                line += f"; more than flat: {mean_of((kept[name] - kept['flat'])[chosen])}"
            print(f"{title:6} {name:9} {line}")


@run
def regret() -> None:
    """Chapter 02: the regret of five ways after 200 to 20,000 pulls, 200 runs."""
    found = cells("02", "155b8030", "18685a2b", "bafddf22", midgame=MIDGAME)
    ways = {"greedy": lambda Q, N, t, rng: Q.argmax(axis=1), "ε-greedy": found["epsilon_greedy"]}
    ways |= {f"UCB1 c = {c:.2f}": found["ucb1_rule"](c) for c in (0.5, 1.0, sqrt(2), 2 * sqrt(2))}
    for name, choose in ways.items():
        paid = found["run_bandit"](choose, 20_000, 200, seed=6)[1]
        told = (f"{n:,}: {paid[n - 1].mean():.0f} (worst {paid[n - 1].max():,.0f})"
                for n in (200, 700, 5_000, 20_000))  # fmt: skip
        print(f"{name:14}", "; ".join(told))


@run
def bandit_by_c() -> None:
    """Chapter 02: the games of each column after 700 by UCB1 with three c, seed 5."""
    ids = ("155b8030", "c07ab569", "32d34f75", "2d-ucb1", "3dec63d9")
    play = cells("02", *ids, midgame=MIDGAME)["ucb1_bandit"]
    for c in (0, 1, 10):
        N, _ = play(GAME, MIDGAME, 700, float(c), np.random.default_rng(5))[-1]
        print(f"c = {c}:", *N.astype(int))


@run
def uct_in_the_opening() -> None:
    """Chapter 03: UCT with 5,000 simulations where at most 8 stones lie, five seeds."""
    for seed in range(5):
        (row,) = evaluate("uct", simulations=[5_000], seed=seed)
        print(f"seed {seed}: {row['by_ply']['0-8']['value_preserving']:.1%}")


@run
def unvisited_as_lost() -> None:
    """Chapter 03: visits of column 5 if an untried move counts as lost, five seeds."""
    found = cells("03", "03-uct-imports", "03-uct-01", "cd403b28", "03-uct-34")
    for n in (100, 1_000, 3_000):
        visits = [
            found["PointsMCTS"](GAME, found["bounded"](0.25, 0.0), found["random_rollout"]())
            .run(GAME.from_moves("413414"), n, np.random.default_rng(seed)).root.visit_counts[4]
            for seed in range(5)
        ]  # fmt: skip
        print(f"{n:,} simulations: column 5 has {visits} visits")


@run
def hold_the_draw_by_c() -> None:
    """Chapter 03: how many of 100 seeds hold the draw on the trap, by c and simulations."""
    game = TicTacToe()
    trap, seeds = game.from_moves("246"), range(100)
    for c in (0.1, 0.3, 1.0, 2 * sqrt(2), 8.0):
        hold = {
            n: sum(compiled_uct(game, trap, n, c, rng=s).best_action() in (2, 8) for s in seeds)
            for n in (30, 100, 300, 1_000, 3_000, 30_000)
        }
        print(f"c = {c:.2f}:", ", ".join(f"{n:,}: {number}" for n, number in hold.items()))


@run
def column_5_comes_back() -> None:
    """Chapters 03 and 04: visits of column 5 with c = 1 and seed 0, by simulations."""
    for n in (400, 600, 700, 800):
        tree = MCTS(GAME, uct(1.0), random_rollout()).run(GAME.from_moves("44443"), n, 0)
        print(f"{n} simulations: column 5 has N {tree.root.visit_counts[4]}")


@run
def two_rules() -> None:
    """Chapter 04: most visits against the best mean where they disagree; five seeds."""
    found = cells("04", "04-tree-01", "04-tree-17")
    kept = np.array(found["kept"], float)
    print(len(kept), "searches;", "best mean minus most visits:", mean_of(kept[:, 1] - kept[:, 0]))
    which = [
        i for seed in range(5) for i, p in enumerate(POSITIONS)
        if len({*found["both_rules"](p.state, seed)}) == 2
    ]  # fmt: skip
    by_position = [(kept[:, 1] - kept[:, 0])[np.array(which) == i].mean() for i in sorted({*which})]
    print("the same, by position:", mean_of(by_position))


@run
def trap_by_c() -> None:
    """Chapter 04: how many of 20 seeds save Red, by c and simulations."""
    trap = GAME.from_moves("47744542714477152157551233")
    for c in (0.3, 0.5, 1.0, 2.0, 2 * sqrt(2), 4.0):
        saved = {
            n: sum(compiled_uct(GAME, trap, n, c, rng=s).best_action() == 0 for s in range(20))
            for n in (1_000, 5_000, 20_000, 50_000, 100_000)
        }
        print(f"c = {c:.2f}:", ", ".join(f"{n:,}: {number}" for n, number in saved.items()))


@run
def trap_with_proofs() -> None:
    """Chapter 04: how many of 20 seeds save Red if the search proves positions, by c."""
    trap = GAME.from_moves("47744542714477152157551233")
    for c in (0.3, 1.0, 2 * sqrt(2)):
        saved = {
            n: sum(
                MCTSSolver(GAME, uct(c), random_rollout()).run(trap, n, s).best_action() == 0
                for s in range(20)
            )
            for n in (1_000, 3_000, 5_000)
        }
        print(f"c = {c:.2f}:", ", ".join(f"{n:,}: {number}" for n, number in saved.items()))


@run
def wrong_of_ten() -> None:
    """Chapter 04: what is lost where eight of ten seeds are wrong, by c."""
    for c in (1.0, 2 * sqrt(2)):
        player = CompiledUCTPlayer(GAME, 1000, c=c)
        chosen = np.array([
            [player.choose(p.state, np.random.default_rng([seed, i])) for seed in range(10)]
            for i, p in enumerate(POSITIONS)
        ])  # fmt: skip
        wrong = np.array([
            sum(not p.keeps_value(a) for a in row)
            for p, row in zip(POSITIONS, chosen, strict=True)
        ])  # fmt: skip
        hard = [(p, row) for p, row, k in zip(POSITIONS, chosen, wrong, strict=True) if k >= 8]
        drawn = sum(p.scores[np.bincount(row).argmax()] >= 0 for p, row in hard)
        # A score of -s loses to the winner's stone number 22 - s; counted after the wrong move.
        plies = [
            2 * (22 + score) - p.ply % 2 - p.ply - 1
            for p, row in hard if (score := p.scores[np.bincount(row).argmax()]) < 0
        ]  # fmt: skip
        print(f"c = {c:.2f}: {len(hard)} positions wrong eight times or more, with"
              f" {wrong[wrong >= 8].sum() / wrong.sum():.0%} of all wrong moves")  # fmt: skip
        print(
              f"  {drawn} only give a win away for a draw; at most 8 stones: "
              f"{sum(p.ply <= 8 for p, _ in hard)}; losses within 9 plies: "
              f"{sum(n <= 9 for n in plies)} of {len(plies)}, median {np.median(plies):.0f}"
        )  # fmt: skip
        print("  plies to the loss:", sorted(plies))


@run
def more_simulations() -> None:
    """Chapter 04: UCT with 30,000 simulations against 1,000, 200 games."""
    for c in (1.0, 2 * sqrt(2)):
        strong, weak = (CompiledUCTPlayer(GAME, n, c=c) for n in (30_000, 1_000))
        print(f"c = {c:.2f}: {score(play_match(strong, weak, 200, seed=1))}")


class Drawn(NamedTuple):
    """A player who draws moves from ``policy`` to the power ``beta``, or plays its favorite."""

    policy: Callable
    name: str
    beta: float = 1.0  # infinite: the favorite

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """The move for one position."""
        return self.choose_batch([state], [rng])[0]

    def choose_batch(self, states, rngs) -> list[int]:
        """The moves for several positions."""
        p = self.policy(State(*np.array(states, np.int64).T.copy())).astype(float)
        if np.isinf(self.beta):
            return p.argmax(axis=1).tolist()
        p = p**self.beta
        p /= p.sum(axis=1, keepdims=True)
        return [int(rng.choice(7, p=row)) for rng, row in zip(rngs, p, strict=True)]

    @property
    def game(self) -> ConnectFour:
        """The game that it plays."""
        return GAME


@run
def trap_by_patterns() -> None:
    """Chapter 05: the Q of the losing move 2 as the search goes on, five seeds of two rollouts."""
    trap = GAME.from_moves("47744542714477152157551233")
    patterns = pattern_rollout(RolloutPolicy.load(SHIPPED / "rollout.safetensors")[0])
    for name, rollout in (("uniform", random_rollout()), ("patterns", patterns)):
        for seed in range(5):
            q = [
                f"{MCTS(GAME, uct(1.0), rollout).run(trap, n, rng=seed).root.q_values[1]:+.2f}"
                for n in (50, 100, 250, 300, 400, 600, 1000)
            ]
            print(f"{name}, seed {seed}, after 50 to 1,000 simulations: {' '.join(q)}")


@run
def sharpened() -> None:
    """Chapter 06: what of p_ρ's score against p_σ is sharpness; 1,000 games each."""
    found = cells("06", "06-01", "06-02")
    sigma, rho = found["p_sigma"], found["p_rho"]
    names = {"p_σ": Drawn(sigma, "p_σ"), "p_ρ": Drawn(rho, "p_ρ")}
    names |= {f"p_σ^{b:g}": Drawn(sigma, f"p_σ^{b:g}", b) for b in (2.0, 5.0)}
    names["p_σ's favorite"] = Drawn(sigma, "p_σ's favorite", float("inf"))
    names["p_ρ's favorite"] = Drawn(rho, "p_ρ's favorite", float("inf"))
    boards = State(*np.array([p.state for p in POSITIONS], np.int64).T.copy())
    for name, player in names.items():
        p = player.policy(boards).astype(float)
        p = p ** min(player.beta, 50)
        p /= p.sum(axis=1, keepdims=True)
        entropy = -(p * np.log(np.maximum(p, 1e-12))).sum(axis=1).mean()
        print(f"entropy of {name}: {entropy:.2f}")
    pairs = [("p_ρ", "p_σ"), ("p_σ^2", "p_σ"), ("p_σ^5", "p_σ"), ("p_σ's favorite", "p_σ"),
             ("p_ρ", "p_σ^5"), ("p_ρ", "p_σ's favorite"),
             ("p_ρ's favorite", "p_σ's favorite")]  # fmt: skip
    for a, b in pairs:
        print(f"{a} against {b}: {score(play_match(names[a], names[b], 1000, seed=1))}")
    program = CompiledUCTPlayer(GAME, 400)  # never in the pool
    for a in ("p_σ's favorite", "p_ρ's favorite", "p_σ", "p_σ^5", "p_ρ"):
        print(f"{a} against UCT 400: {score(play_match(names[a], program, 1000, seed=1))}")


@run
def shrinkage() -> None:
    """Chapter 06: does v predict games of p_ρ better than the solver, once that is shrunk?"""
    found = cells("06", "06-01", "06-02", "06-28")
    rows = [
        (*GAME.next_state(p.state, a), -np.sign(p.scores[a]))
        for p in POSITIONS for a in p.legal_actions
    ]  # fmt: skip
    me, opp, solved = np.array(rows, np.int64).T.copy()
    is_over, _ = GAME.batch_outcome(State(me, opp))
    some = np.random.default_rng(1).choice(np.flatnonzero(~is_over), 400, replace=False)
    start = State(*(np.repeat(stones[some], 24) for stones in (me, opp)))
    end = found["go_on"](
        found["p_rho"], start, np.full(len(start.me), 42), np.random.default_rng(1)
    )
    same = GAME.batch_to_play(end) == GAME.batch_to_play(start)
    z = (GAME.batch_outcome(end)[1] * np.where(same, 1, -1)).reshape(400, 24)
    v, truth = found["value"](State(me[some], opp[some])), solved[some].astype(float)
    half = np.arange(400) % 2 == 0
    shrunk = truth.copy()
    for train, test in ((half, ~half), (~half, half)):  # fitted on one half, used on the other
        factor = (z[train].mean(axis=1) * truth[train]).sum() / np.square(truth[train]).sum()
        shrunk[test] *= factor
        print(f"best factor for the solver: {factor:.2f}")
    errors = {
        name: np.square(z - guess[:, None]).mean(axis=1)
        for name, guess in (("v", v), ("solver", truth), ("solver, shrunk", shrunk))
    }
    for name, error in errors.items():
        r = np.corrcoef(z.mean(axis=1), {"v": v}.get(name, truth))[0, 1]
        print(f"{name:15} {error.mean():.3f}; correlation with the mean result {r:.2f}")
    print("solver − v:", mean_of(errors["solver"] - errors["v"]))
    print("shrunk solver − v:", mean_of(errors["solver, shrunk"] - errors["v"]))


@run
def whole_games() -> None:
    """Chapter 06: the error of the shipped v on new whole games, the missing cell of four."""
    found = cells("06", "06-01", "06-02")
    rows = found["alphago"].all_positions(GAME, found["p_rho"], 30_000, 7)
    error = np.square(rows.z - found["value"](State(rows.me, rows.opp)))
    by_game = [error[rows.game_number == g].mean() for g in np.unique(rows.game_number)]
    low, high = found["alphago"].clustered_interval(error / 4, rows.game_number)
    print(f"{error.mean():.3f} ({4 * low:.3f} to {4 * high:.3f}), {len(by_game)} games")


def kept_by(answer: Callable, simulations: int, c: float) -> np.ndarray:
    """In which positions the most visited move of PUCT keeps the value, 1.0 or 0.0.

    ``answer`` gives priors and values of a batch of states.
    """
    search = BatchedSearch(GAME, len(POSITIONS), simulations, puct(c))
    search.start(State(*np.array([p.state for p in POSITIONS], np.int64).T.copy()), simulations)
    while len((leaves := search.select()).me):
        search.update(*answer(leaves))
    moves = search.visit_counts[:, 0].argmax(axis=1).tolist()
    return np.array([p.keeps_value(a) for p, a in zip(POSITIONS, moves, strict=True)], float)


@run
def head_start() -> None:
    """Chapter 09: how long a wrong prior lasts, by c; the 100 positions of the chapter."""
    found = cells("09", "puct-01", "puct-03", "puct-16")
    choices = found["choices"]
    for c in (0.5, 1.25, 2.5, 5.0):
        last = []
        for wrong in (0, 1, 3, 4, 5, 6):
            lie = np.full(7, 0.1 / 6)
            lie[wrong] = 0.9
            bad = [action != 2 for action in choices(found["position"], lie, 1000, c)]
            last.append(f"{wrong + 1}: {np.flatnonzero(bad)[-1] + 1}")
        print(f"c = {c}: the last bad choice, by move:", ", ".join(last))
        marks = (1, 5, 10, 20, 50, 100)
        kept = {"flat": [], "wrong": []}
        for p in POSITIONS[::10]:
            legal = np.isin(range(7), p.legal_actions)
            keeps = np.array([a in p.legal_actions and p.keeps_value(a) for a in range(7)])
            bad = legal & ~keeps
            lie = 0.9 * bad / bad.sum() + 0.1 * keeps / keeps.sum()
            for kind, prior in (("flat", legal / legal.sum()), ("wrong", lie)):
                played = choices(p.state, prior, marks[-1], c)
                kept[kind].append([p.keeps_value(played[n - 1]) for n in marks])
        for kind, rows in kept.items():
            rates = zip(marks, np.mean(rows, axis=0), strict=True)
            print(f"  {kind}:", ", ".join(f"{n}: {rate:.0%}" for n, rate in rates))


@run
def puct_c() -> None:
    """Chapter 09: c = 1.25 against others, values in [-1, 1]; positions, paired, and matches."""
    evaluator = NetworkEvaluator(GAME, load_network("connect4").network)
    for simulations in (25, 50, 100, 200):
        base = kept_by(evaluator.batch, simulations, 1.25)
        print(f"{simulations} simulations, c = 1.25: {base.mean():.1%}")
        for c in (0.625, 2.5, 5.0):
            kept = kept_by(evaluator.batch, simulations, c)
            print(f"  c = {c}: {kept.mean():.1%}, less 1.25: {mean_of(kept - base)}")
            pair = [PUCTPlayer(GAME, evaluator, simulations, c=x) for x in (c, 1.25)]
            print(f"  c = {c} against 1.25: {score(play_match(*pair, 400, seed=1))}")


@run
def alphago_priors() -> None:
    """Chapter 07: priors of p_σ, of p_ρ, and even ones; λ = 0, 100 simulations, paired."""
    asked = {}
    for name in ("supervised", "policy_gradient", "value"):
        stage = load_stage_network(SHIPPED / f"{name}.safetensors")
        asked[name] = NetworkEvaluator(stage.game, stage.network).batch

    def answer(policy: str, beta: float) -> Callable:
        def batch(leaves: State) -> tuple[np.ndarray, np.ndarray]:
            prior = GAME.batch_legal_mask(leaves).astype(float)
            if policy:
                prior *= np.maximum(asked[policy](leaves)[0], 1e-12) ** (1 / beta)
            total = np.maximum(prior.sum(axis=1, keepdims=True), 1e-12)
            return prior / total, np.asarray(asked["value"](leaves)[1])

        return batch

    base = kept_by(answer("supervised", 1.0), 100, 1.5)
    print(f"p_σ: {base.mean():.1%}")
    for name, policy, beta in (
        ("p_ρ", "policy_gradient", 1.0), ("p_ρ, β = 2", "policy_gradient", 2.0), ("even", "", 1.0),
    ):  # fmt: skip
        kept = kept_by(answer(policy, beta), 100, 1.5)
        print(f"{name}: {kept.mean():.1%}, less p_σ: {mean_of(kept - base)}")


@run
def rollouts_in_30_ms() -> None:
    """Chapter 07: how long 90,608 compiled rollouts by patterns take, by ply."""
    evaluator = compiled_patterns(RolloutPolicy.load(SHIPPED / "rollout.safetensors")[0])
    took = {"0-9": [], "10-17": [], "18-41": []}
    compiled_uct(GAME, GAME.initial_state(), 10, rng=0, evaluator=evaluator)
    for p in POSITIONS[::20]:
        start = perf_counter()
        compiled_uct(GAME, p.state, 90_608, rng=0, evaluator=evaluator)
        took["0-9" if p.ply < 10 else "10-17" if p.ply < 18 else "18-41"].append(
            perf_counter() - start
        )
    for plies, seconds in took.items():
        print(f"plies {plies}: median {1000 * np.median(seconds):.0f} ms, {len(seconds)} boards")
    every = [second for seconds in took.values() for second in seconds]
    print(f"all: median {1000 * np.median(every):.0f} ms")


@run
def trap_by_lambda() -> None:
    """Chapter 07: in how many of ten searches of 200 simulations AlphaGo leaves the trap."""
    found = cells("07", "07-01", "07-02", "07-03")
    trap = GAME.from_moves("47744542714477152157551233")
    for mixing_lambda, n_thr in ((0.2, 0), *((0.5, n) for n in (0, 5, 10, 20, 40, 100)), (0.8, 0)):
        search = found["alphago_with"](mixing_lambda=mixing_lambda, expand_threshold=n_thr)
        won = sum(search.run(trap, 200, rng=seed).best_action() == 0 for seed in range(10))
        print(f"λ = {mixing_lambda}, n_thr = {n_thr}: {won} of 10 win", flush=True)


@run
def threads_by_virtual_loss() -> None:
    """Chapter 07: 1 thread and 8, by n_vl: leaves at once, and positions that keep their value.

    The 1,000 positions are searched side by side. λ = 0, so that nothing is random.
    """
    networks = [
        load_stage_network(SHIPPED / f"{name}.safetensors") for name in ("supervised", "value")
    ]
    evaluator, simulations = AlphaGoEvaluator(*networks, None, mixing_lambda=0), 104
    base = None
    for threads, loss in ((1, 0), (8, 1), (8, 3), (8, 10)):
        search = MCTS(GAME, puct(1.5), evaluator, batch_size=threads, virtual_loss=loss)
        trees = [search.run(p.state, 1) for p in POSITIONS]
        left, sizes = np.full(len(trees), simulations - 1), []
        while left.any():
            waiting = []
            for i in np.flatnonzero(left):
                paths = search.collect(trees[i].root, min(threads, int(left[i])))
                waiting += [(path, search.expand_leaf(path, leaf)[0][1]) for path, leaf in paths]
                left[i] -= len(paths)
                sizes.append(len(paths))
            values = search.evaluate_leaves([leaf for _, leaf in waiting])
            for (path, leaf), value in zip(waiting, values, strict=True):
                search.backup(path, leaf, value)
        keeps = [p.keeps_value(t.best_action()) for p, t in zip(POSITIONS, trees, strict=True)]
        keeps = np.array(keeps, float)
        base = keeps if base is None else base
        told = f"{keeps.mean():.1%}, less 1 thread: {mean_of(100 * (keeps - base))}"
        print(f"{threads} threads, n_vl = {loss}: {np.mean(sizes):.2f} leaves at once; {told}")


@run
def one_weight() -> None:
    """Chapter 08: a weight that the data does not need, under three optimizers."""
    names = "08-01", "08-02", "b4cf1a76"
    for name, sizes in cells("08", *names)["ways"].items():
        print(f"{name}: after 100 steps {sizes[100]:.1e}, 3,000 {sizes[3000]:.1e}")


@run
def dying_units() -> None:
    """Chapter 08: units of the value head alive after 100 steps on solved positions, 4 seeds."""
    moves = [
        (GAME.play(p.state, a), -np.sign(p.scores[a])) for p in POSITIONS for a in p.legal_actions
    ]
    rows = [(state, z) for state, z in moves if GAME.outcome(state) is None]
    states = State(*np.array([state for state, _ in rows], np.int64).T.copy())
    planes = torch.from_numpy(GAME.batch_encode(states))
    z = torch.tensor([float(z) for _, z in rows])
    rules = {
        "AdamW": lambda weights: torch.optim.AdamW(weights, lr=0.002),
        "SGD": lambda weights: torch.optim.SGD(weights, lr=0.05, momentum=0.9),
    }
    heads = {
        "32 filters": {}, "1 filter": {"value_filters": 1}, "32 and norm": {"value_norm": True},
    }  # fmt: skip
    print(f"{len(rows)} positions")
    for name, rule in rules.items():
        for head, settings in heads.items():
            alive = []
            for seed in range(4):
                torch.manual_seed(seed)
                network = ResNet(GAME, 16, 1, **settings)
                optimizer = rule(network.parameters())
                for _ in range(100):
                    i = torch.randint(len(rows), (64,))
                    optimizer.zero_grad()
                    (network.train()(planes[i])[1] - z[i]).square().mean().backward()
                    optimizer.step()
                alive.append(round(64 * living_units(network, planes[::5])))
            print(f"{name}, {head}: {' '.join(map(str, sorted(alive)))} of 64 units alive")


@run
def two_networks() -> None:
    """Chapter 08: one network and two, with half the budget each and with all of it; five seeds."""
    ids = ("01", "02", "planes", "05", "residual", "09", "10", "15", "16", "19", "25", "two")
    found = cells("08", *(f"08-{name}" for name in ids))
    kinds = {
        "one network, 16 channels": lambda: found["Network"](found["tic_tac_toe"]),
        "two networks, 11 channels": lambda: found["TwoNetworks"](found["tic_tac_toe"]),
        "two networks, 16 channels": lambda: found["TwoNetworks"](found["tic_tac_toe"], 16),
    }
    for name, make in kinds.items():
        rows = []
        for seed in range(5):
            unseen, seen = found["split"](seed)
            torch.manual_seed(seed)
            network = make()
            found["fit"](network, seen, 300, seed=seed)
            row = [100 * found["best_moves"](network, unseen) / len(unseen)]
            row.append(found["value_error"](network, unseen))
            for part in (seen, unseen):
                data = [found[kind][part] for kind in ("planes", "legal", "pi", "z")]
                with torch.no_grad():
                    parts = found["loss"](network.eval(), *data)
                floor = found["floor"][part].mean().item()
                row += [parts.value.item(), parts.policy.item() - floor]
            rows.append(row)
        weights = sum(p.numel() for p in network.parameters())
        (moves, error, *losses), low, high = np.mean(rows, 0), np.min(rows, 0), np.max(rows, 0)
        print(
            f"{name}: {weights} weights; best move {low[0]:.1f} to {high[0]:.1f}, mean {moves:.1f}%"
        )
        print(f"  |z - v| {low[1]:.2f} to {high[1]:.2f}, mean {error:.3f}")
        value, policy, unseen_value, unseen_policy = losses
        print(f"  seen: value {value:.3f}, policy above its floor {policy:.3f};", end=" ")
        print(f"unseen: value {unseen_value:.3f}, policy above its floor {unseen_policy:.3f}")


@run
def gumbel_targets() -> None:
    """Chapter 15: targets by c_scale, beside shares of visits that are as sharp; two noises."""
    found = cells("15", "beyond-01", "beyond-05", FAST=False)
    targets, keeps, legal = found["targets"], found["keeps"], found["legal"]

    def entropy(policies: np.ndarray) -> float:
        return float(-(policies * np.log(np.maximum(policies, 1e-300))).sum(axis=1).mean())

    def sharpened(counts: np.ndarray, power: float) -> np.ndarray:
        weights = (counts / counts.max(axis=1, keepdims=True)) ** power
        return weights / weights.sum(axis=1, keepdims=True)

    for simulations in (4, 16, 64):
        by_seed = {}
        for seed in (0, 1):
            rng = np.random.default_rng(seed)
            gumbels = np.where(legal, rng.gumbel(size=legal.shape), 0)
            dirichlets = np.zeros(legal.shape)
            for row, moves in zip(dirichlets, legal, strict=True):
                row[moves] = rng.dirichlet([10 / moves.sum()] * moves.sum())
            roots = targets(puct(1.25), dirichlets, simulations)[1]
            counts = np.array([root.visit_counts for root in roots], float)
            by_seed.setdefault("shares of visits", []).append((sharpened(counts, 1), counts))
            for rescale in (False, True):
                for c_scale in (0.03, 0.1, 0.3, 1.0):
                    rule, roots = targets(
                        gumbel(c_scale=c_scale, rescale=rescale), gumbels, simulations
                    )
                    name = f"c_scale {c_scale}{', rescaled' if rescale else ''}"
                    policies = np.array([rule.policy(root) for root in roots])
                    by_seed.setdefault(name, []).append((policies, counts))
        for name, pairs in by_seed.items():
            good, less = [], []
            for policies, counts in pairs:
                # The power of the visits that makes them as sharp, by bisection.
                low, high = 0.01, 100.0
                for _ in range(40):
                    middle = sqrt(low * high)
                    sharper = entropy(sharpened(counts, middle)) < entropy(policies)
                    low, high = (low, middle) if sharper else (middle, high)
                good.append((policies * keeps).sum(axis=1))
                less.append(good[-1] - (sharpened(counts, low) * keeps).sum(axis=1))
            spread = np.mean([entropy(policies) for policies, _ in pairs])
            told = f"{np.mean(good):.1%} on good moves, entropy {spread:.3f}"
            gain = mean_of(np.mean(less, axis=0))
            print(f"{simulations:2} {name:22} {told}; more than visits as sharp: {gain}")


@run
def ladder_rungs() -> None:
    """Chapter 11: UCT 400 above UCT 50, by pseudo-games, without and with rungs between them."""
    words = ["random", "tactical", "uct@50", "uct@400", "uct@20000", "solver", "connect4@25"]

    def ladder(words: list[str], games: int, seed: int) -> list[Match]:
        players = [make_player(word, GAME) for word in words]
        return [play_match(a, b, games, seed) for a, b in combinations(players, 2)]

    def tell(title: str, matches: list[Match], name: str = "compiled UCT 400") -> None:
        for pseudo in (0.5, 0.1, 0.01):
            rows = {r.name: r for r in elo(matches, "compiled UCT 50", pseudo_games=pseudo)}
            told = f"{rows[name].elo:.0f} ({rows[name].low:.0f} to {rows[name].high:.0f})"
            top = max(rows.values(), key=lambda row: row.elo)
            print(f"{title}, pseudo-games {pseudo}: {told}; {top.name} {top.elo:.0f}", flush=True)

    for seed in range(3):
        tell(f"without rungs, seed {seed}", ladder(words, 40, seed))
    for seed in range(3):
        tell(f"rungs 100 and 200, seed {seed}", ladder([*words, "uct@100", "uct@200"], 40, seed))
    tell("four levels, 200 games a pair", ladder([f"uct@{n}" for n in (50, 100, 200, 400)], 200, 0))


@run
def lengths_of_games() -> None:
    """Chapter 12: the moves of 64 games with 16 simulations, compiled and in lockstep."""
    found = cells("12", "12-01", "12-05", "12-08", "12-09", "12-21")
    game, ask, default_rng = found["connect_four"], found["ask"], np.random.default_rng
    for seed in range(2):
        rng, states, in_lockstep = default_rng(seed), [game.initial_state()] * 64, 0
        while states:
            roots = found["grow_together"](states, 16, ask)[0]
            moves = [rng.choice(7, p=np.array(r.visit_counts) / r.num_visits) for r in roots]
            in_lockstep += len(moves)
            moved = [game.play(s, int(a)) for s, a in zip(states, moves, strict=True)]
            states = [state for state in moved if game.outcome(state) is None]
        with (
            patch.object(np.random, "default_rng", lambda _, seed=seed: default_rng(seed)),
            patch.object(
                ConnectFour, "play", autospec=True, side_effect=ConnectFour.play
            ) as played,
        ):
            found["batch_sizes"](64, 64, False, evaluate=ask)
        print(f"seed {seed}: {played.call_count} moves compiled, {in_lockstep} in lockstep")


@run
def leaves_in_flight() -> None:
    """Chapter 12: matches of batched searches with virtual losses, or visits in flight alone.

    A visit in flight leaves Q as it is (Leela Chess Zero; Liu et al. 2020, WU-UCT). Q of an
    unvisited move is 0 here, so a visit to it adds nothing to W.
    """
    in_flight = patched(
        MCTS,
        Patch(
            MCTS.collect,
            ((
                "node.value_sum[a] -= self.virtual_loss",
                "node.value_sum[a] += self.virtual_loss"
                " * (node.value_sum[a] / (node.visit_counts[a] - self.virtual_loss)"
                " if node.visit_counts[a] > self.virtual_loss else 0.0)",
            ),),
        ),
    )  # fmt: skip
    evaluator = NetworkEvaluator(GAME, load_network("connect4").network)

    class Batched:
        """A search of one tree that asks about ``size`` leaves per call."""

        game = GAME

        def __init__(self, simulations: int, size: int = 1, loss: int | None = 0) -> None:
            kind = "visits in flight" if loss is None else f"virtual loss {loss}"
            self.name, self.simulations = f"{simulations}, batch {size}, {kind}", simulations
            search = in_flight if loss is None else MCTS
            weight = 1 if loss is None else loss
            self.search = search(GAME, puct(), evaluator, batch_size=size, virtual_loss=weight)

        def choose(self, state: State, rng: np.random.Generator) -> int:
            return self.search.run(state, self.simulations, rng).best_action()

    for size, alone in ((8, 200), (32, 200), (8, 25)):
        for loss in (None, 1, 3):
            pair = Batched(200, size, loss), Batched(alone)
            found = score(play_match(*pair, 200, seed=1))
            print(f"{pair[0].name} against {alone} alone: {found}", flush=True)


@run
def snort() -> None:
    """Chapter 16: its training with three seeds, at equal simulations and at equal time."""
    from azlearn import learning

    game = make_game(f"{template.__file__}:MyGame")
    rng, states = np.random.default_rng(0), []
    for _ in range(10):
        state = game.initial_state()
        while legal := game.legal_actions(state):
            states.append(state)
            state = game.next_state(state, int(rng.choice(legal)))
    uct = CompiledUCTPlayer(game, 50)
    for seed in range(3):
        settings = learning.preset(f"{template.__file__}:MyGame", "cpu")
        settings = settings.with_changes({"network": "tiny", "seed": seed})
        with TemporaryDirectory() as run:
            done = learning.Training(settings, learning.Budget(minutes=1), Path(run)).run()
            player = PUCTPlayer(game, learning.load_network(Path(run)), 50)
        seconds = seconds_per_move(player, states)
        ((fair, _),) = equal_time([uct], 1000 * seconds, states)
        print(f"seed {seed}: {done.games:,} games; {1000 * seconds:.1f} ms per move", end="")
        print(f"; simulations of UCT in that time: {fair.num_simulations:,}")
        print(f"   equal simulations: {score(play_match(player, uct, 100))}")
        print(f"   equal time: {score(play_match(player, fair, 100))}", flush=True)


@run
def snort_center() -> None:
    """Chapter 16: of 50 seeds of UCT on the empty board, how many put the center first?"""
    game = make_game(f"{template.__file__}:MyGame")
    for simulations in (2_000, 20_000):
        roots = [
            compiled_uct(game, game.initial_state(), simulations, c=1.0, rng=seed).root
            for seed in range(50)
        ]
        favorites = [game.action_label(int(np.argmax(root.visit_counts))) for root in roots]
        highest = max(root.q_values[12] for root in roots)
        print(
            f"{simulations:,} simulations: c3 first with {favorites.count('c3')} of 50 seeds,"
            f" its Q at most {highest:.2f}; favorites {Counter(favorites).most_common(3)}"
        )


@run
def move_d1() -> None:
    """Chapter 14: D1 and D4 of section 6 in a long search, and what GNU Go plays there."""
    loaded = load_network("go5")
    game, evaluator = loaded.game, NetworkEvaluator(loaded.game, loaded.network)
    names = [game.action_label(action) for action in range(game.num_actions)]
    moves = "C3 D3 C4 C2 D2 B2 B3 E2"
    for simulations in (400, 5_000, 20_000):
        root = MCTS(game, puct(1.5), evaluator).run(game.from_moves(moves), simulations).root
        for name in ("D1", "D4"):
            visits, q = (x[names.index(name)] for x in (root.visit_counts, root.q_values))
            print(f"{simulations:,} simulations: {name} {visits / simulations:.1%}, Q {q:+.2f}")
    for level in (1, 10):
        asked = []
        for seed in range(10):
            command = f"gtp:gnugo --mode gtp --level {level} --seed {seed} {GNUGO_RULES}"
            player = make_player(command, game)
            asked += choose_all(player, [game.from_moves(moves)], [np.random.default_rng(0)])
        print(f"GNU Go, level {level}, ten seeds: {Counter(names[a] for a in asked)}")
    for name in ("D1", "D4"):
        match = play_match(
            make_player(f"gtp:gnugo --mode gtp --level 10 --seed 1 {GNUGO_RULES}", game),
            make_player(f"gtp:gnugo --mode gtp --level 10 --seed 2 {GNUGO_RULES}", game),
            2, openings=[f"{moves} {name}"],
        )  # fmt: skip
        wins = sum((one.score == 1) == one.a_first for one in match.games)
        print(f"GNU Go on both sides after {name}: Black wins {wins} of {len(match.games)}")


@run
def gate_pairs() -> None:
    """Chapter 10: how often both networks score alike from an opening, as at its gates."""
    from tempfile import TemporaryDirectory

    from azlearn.learning import Budget, Training, preset

    for simulations in (25, 2):
        found: list[list[float]] = []
        for seed in range(5):
            with TemporaryDirectory() as out:
                settings = preset("tictactoe", "cpu").with_changes({"seed": seed})
                Training(settings, Budget(iterations=16), Path(out)).run()
                for pair in ((8, 6), (16, 12)):  # snapshots two and four iterations apart
                    loaded = (load_network(f"{out}:{number}") for number in pair)
                    players = [PUCTPlayer(x.game, x.network, simulations) for x in loaded]
                    found.append(play_match(*players, 400).opening_scores)
        scores = np.array(found)
        even, mean = (scores == 0.5).mean(axis=1), scores.mean(axis=1)
        print(
            f"{simulations} simulations: even from {even.mean():.0%} of the openings"
            f" ({even.min():.0%} to {even.max():.0%}), score {mean.mean():.3f}"
            f" ({mean.min():.3f} to {mean.max():.3f})"
        )


def main() -> None:
    """Runs the experiments that the command line names; without a name, lists them."""
    names = sys.argv[1:]
    if not names or not {*names} <= {*RUNS}:
        print("\n".join(f"{name:20} {f.__doc__.partition(chr(10))[0]}" for name, f in RUNS.items()))
    for name in names:
        print(f"== {name}: {RUNS[name].__doc__}")
        RUNS[name]()


if __name__ == "__main__":
    main()
