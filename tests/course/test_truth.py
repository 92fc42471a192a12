"""What the checks take for the truth is true, by rules, by searches and by other programs."""

import functools
import itertools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from scipy.stats import multinomial

from azlearn.alphago.patterns import GAME as PATTERN_GAME
from azlearn.alphago.patterns import NUM_WEIGHTS, feature_indices
from azlearn.alphago.rollout_policy import log_likelihood_gradient
from azlearn.course import small_go, your_alphago, your_puct, your_search
from azlearn.course.comparing import same
from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch03_uct import search
from azlearn.course.exercises.ch04_reading_a_tree import path
from azlearn.course.exercises.ch06_policy_gradient import gradient_moments, one_position
from azlearn.course.exercises.ch07_alphago import simulate
from azlearn.course.exercises.ch08_one_network import symmetric, total_loss
from azlearn.course.exercises.ch09_puct.puct_search import network, turned_over
from azlearn.course.exercises.ch10_self_play import iteration, samples
from azlearn.course.exercises.ch11_measuring import bootstrap_interval, chance_to_pass
from azlearn.course.exercises.ch12_batching import ask_all, step
from azlearn.course.exercises.ch13_gpu import roll
from azlearn.course.exercises.ch13_gpu.watched import watched
from azlearn.course.numbers import tensor
from azlearn.course.probe_games import P5, P6, PROBE_BEST_MOVES, PROBE_GAMES, PROBE_VALUES
from azlearn.course.small_othello import FILE
from azlearn.course.small_trees import TreeCase, three_moves
from azlearn.games import (
    ConnectFour,
    Go,
    Othello,
    State,
    TicTacToe,
    assert_conforms,
    connect_four_rules,
    minimax_actions,
    minimax_value,
)
from azlearn.games.named import make_game
from azlearn.learning import preset
from azlearn.learning.loss import loss
from azlearn.search import (
    MCTS,
    BatchedSearch,
    Evaluation,
    Node,
    RootNoise,
    Tree,
    constant,
    hash_evaluator,
    puct,
    random_rollout,
    uct,
)
from azlearn.search.engine.draws import mixed
from azlearn.viz import explore_tree
from benchmarks.gumbel_cases import CASES, GAMES, Answer, evaluate
from tests.alphago.plain_apv import PlainAPV
from tests.alphago.positions import moves_at
from tests.learning.readable_self_play import ActiveGame, ReadableSelfPlay, Record

FOUR, THREE = ConnectFour(), TicTacToe()
ROOT = Path(__file__).parents[2]


def seen_of(exercise_id):
    """Every case with what is seen of the solution."""
    marking = EXERCISES[exercise_id].marking
    return zip(marking.all_cases, marking.right.seen, strict=True)


def solution(exercise_id):
    marking = EXERCISES[exercise_id].marking
    return marking.function(marking.solution)


# --- the probe games, and chapters 1 to 3 ---


@pytest.mark.parametrize("game", PROBE_GAMES, ids=lambda game: game.name)
def test_probe_games_conform_and_have_the_values_they_claim(game):
    assert_conforms(game)
    start = game.initial_state()
    assert minimax_value(game, start) == PROBE_VALUES[game]
    assert minimax_actions(game, start) == PROBE_BEST_MOVES[game]
    tree = MCTS(game, uct(1.0), random_rollout()).run(start, 400)
    assert tree.best_action() in PROBE_BEST_MOVES[game]


def test_probe_games_are_what_their_names_say():
    assert P5.num_actions == 7
    assert P5.legal_actions(P5.initial_state()) == [4]
    after = P6.play(P6.initial_state(), 0)
    assert P6.to_play(after) == P6.to_play(P6.initial_state()) == 0
    with pytest.raises(ValueError, match=r"the only legal move is 5 \(action 4\)"):
        P5.play(P5.initial_state(), 0)
    assert P6.from_moves("11").me == 3
    assert "position 0" in P6.to_text(P6.initial_state())


@pytest.mark.parametrize(
    ("exercise_id", "truth"),
    [
        ("1.1", FOUR.legal_mask),
        ("1.2", connect_four_rules.has_won),
        ("1.3", THREE.outcome),
        ("1.4", minimax_value),
    ],
)
def test_solutions_agree_with_the_package(exercise_id, truth):
    for case, seen in seen_of(exercise_id):
        assert same(next(iter(seen.values())), truth(*case.arguments)), case.words


def test_the_search_of_3_5_is_that_of_the_package():
    for case, seen in seen_of("3.5"):
        game, moves, num_simulations, c, value = case.arguments
        evaluate = hash_evaluator if value is None else constant(value)
        root = MCTS(game, uct(c), evaluate).run(game.from_moves(moves), num_simulations).root
        levels = list(search.levels_of(root))
        assert seen["N, level by level"] == [[n.visit_counts for n in nodes] for nodes in levels]
        assert seen["W, level by level"] == [[n.value_sum for n in nodes] for nodes in levels]


# --- chapter 4 ---


def table():
    """The statement's: moves to the N and the W of columns 1, 4 and 7."""
    cells = nbformat.read(ROOT / "solutions" / "04_solutions.ipynb", as_version=4).cells
    (text,) = [cell.source for cell in cells if "| node after |" in cell.source]
    rows = re.findall(r"^\| (\(root\)|[147 ]+) \| \S+ \S+ \| (.+) \| (.+) \|$", text, flags=re.M)
    numbers = [[eval(f"[{part}]".replace("−", "-")) for part in row[1:]] for row in rows]
    lines = [re.sub(r"\D", "", row[0]) for row in rows]
    return dict(zip(lines, numbers, strict=True))


def test_the_table_is_a_search_of_the_package_and_the_path_its_next_simulation():
    state, is_open = FOUR.from_moves(path.MOVES), (0, 3, 6)
    search = MCTS(FOUR, uct(1.0), random_rollout())
    root = search.run(state, path.NUM_SIMULATIONS, path.SEED).root

    def lines(node, moves=""):
        if node is not None and node.num_visits:
            edges = node.visit_counts, node.value_sum
            yield moves, [[values[action] for action in is_open] for values in edges]
            for action, child in enumerate(node.children):
                yield from lines(child, moves + str(action + 1))

    assert dict(lines(root)) == table()
    found = path.explore(None, "").to_dict()
    node, moves = found["steps"]["leaf"][-1], ""
    while node:
        moves = str(found["nodes"]["action"][node] + 1) + moves
        node = found["nodes"]["parent"][node]
    assert moves == path.RIGHT


def node_with(visits, sums) -> Node:
    game, before, edges = three_moves(visits, sums)
    return TreeCase("", game, before, {"": edges}).root()


def can_change(counts, left):
    """Whether some way to spend what is left, with some Q, changes the move: tried out."""
    if left == 0:
        return False
    sums = [(0, 0, 0), *itertools.permutations((-1, 0, 1))]
    now = (2, 6, 8)[max(zip(counts, (0, 1, 2), strict=True))[1]]
    for first, second in itertools.product(range(left + 1), repeat=2):
        if first + second > left:
            continue
        spent = [n + x for n, x in zip(counts, (first, second, left - first - second), strict=True)]
        if {node_with(spent, q).best_action() for q in sums} != {now}:
            return True
    return False


def test_decided_by_trying_out_every_way_to_spend_the_rest():
    decided = solution("4.6")
    for counts in itertools.product(range(5), repeat=3):
        for left in range(4):
            root = node_with(counts, (0, 0, 0))
            assert decided(root, left) == (not can_change(counts, left)), (counts, left)


# --- chapters 5 and 6 ---


def test_the_gradient_of_5_4_is_that_of_the_rollout_policy():
    """On Connect Four, with every feature of the package written out as 0 or 1."""
    states = [PATTERN_GAME.from_moves(moves) for moves in ("", "44", "4444445", "1212312")]
    me, opp = np.array(states, dtype=np.int64).T
    last, action = np.array([-1, 3, 4, 1]), np.array([3, 2, 4, 0])
    indices, legal = feature_indices(State(me, opp), last)
    used = np.unique(indices)
    features = (indices[..., None] == used).any(2).astype(float)
    weights = np.random.default_rng(0).normal(size=NUM_WEIGHTS)
    wanted = log_likelihood_gradient(weights, moves_at(State(me, opp), last, action))
    assert not legal.all()
    found = solution("5.4")(weights[used], features, legal, action)
    assert found == pytest.approx(wanted[used])
    assert not np.delete(wanted, used).any()


def test_moments_are_those_of_every_sample_that_autograd_gives():
    for case in gradient_moments.CASES:
        (p, z, b), (mean, variance) = case.arguments, case.right[""]
        samples = []
        for action in range(len(p)):
            logits = torch.tensor(p).log().requires_grad_()
            ((z[action] - b) * logits.softmax(0)[action].log()).backward()
            samples.append(logits.grad.numpy())
        found = np.average(samples, axis=0, weights=p)
        assert found == pytest.approx(mean)
        squares = [((sample - found) ** 2).sum() for sample in samples]
        assert np.average(squares, weights=p) == pytest.approx(variance)


LINES = ("123", "456", "789", "147", "258", "369", "159", "357")


def winner_of(cells):
    """0, 1, or None: whose cells, taken in turn, hold a line. Played with strings, not bits."""
    for player in (0, 1):
        own = set(cells[player::2])
        if any(own >= set(line) for line in LINES):
            return player
    return None


def by_strings(u):
    """What can come out of a game with this U: "cells taken in turn: z"."""
    found = []
    opening = ""
    while len(opening) < u - 1 and winner_of(opening) is None:
        opening += min(set("123456789") - set(opening))
    for cell in sorted(set("123456789") - set(opening)) if winner_of(opening) is None else ():
        kept = game = opening + cell
        if winner_of(kept) is not None:
            continue
        while winner_of(game) is None and len(game) < 9:
            game += max(set("123456789") - set(game))
        winner = winner_of(game)
        z = "0" if winner is None else "+1" if winner == len(kept) % 2 else "-1"
        found.append(f"{kept}: {z}")
    return found


def test_what_can_come_out_of_a_game_of_6_6_is_found_by_strings_too():
    for case in one_position.CASES:
        for u in case.arguments:
            assert case.right[one_position.Z] == by_strings(u)


# --- chapter 7 ---


def answers(value):
    """``evaluate(state)``: a new number at every visit of a position, as rollouts give it."""
    visits = Counter()

    def answer(state):
        visits[state] += 1
        return simulate.VALUES[value](state, visits[state] - 1)

    return answer


def of_the_paper(game, moves, simulations, threshold, weight, value):
    """N and W of the root after a search written from the paper."""
    answer = answers(value)
    plain = PlainAPV(
        game, lambda at: 0, lambda at: Fraction(answer(at)),
        lambda at: simulate.prior(weight, game, at), c=1.0, mix=Fraction(1), n_thr=threshold,
    ).run(game.from_moves(moves), simulations)  # fmt: skip
    actions = range(game.num_actions)
    return [plain.n_r[(), a] for a in actions], [float(plain.w_r[(), a]) for a in actions]


def of_the_package(game, moves, simulations, threshold, weight, value):
    answer, root = answers(value), Node(game, game.from_moves(moves))
    root.prior, root.raw_value = simulate.prior(weight, game, root.state), 0.0
    mcts = MCTS(
        game, puct(1.0), lambda game, state, rng: Evaluation(None, answer(state)),
        policy=lambda game, state, rng: (simulate.prior(weight, game, state), 0.0),
        expand_threshold=threshold,
    )  # fmt: skip
    mcts.run(root.state, simulations, tree=Tree(game, root))
    return root.visit_counts, root.value_sum


def test_simulations_of_7_5_are_those_of_two_other_searches():
    for case, seen in seen_of("7.5"):
        found = (seen["N"], seen["W"])
        assert same(found, of_the_package(*case.arguments)), case.words
        if case.arguments[0] is not P6:  # in the paper the players take turns
            assert same(found, of_the_paper(*case.arguments)), case.words


# --- chapters 8 and 9 ---


@pytest.mark.parametrize("case", total_loss.CASES, ids=lambda case: case.words)
def test_whole_losses_by_hand_agree_with_the_package(case):
    z, v, pi, log_p, parameters, c = case.arguments
    rest = 1 - np.exp(log_p).sum(1, keepdims=True)  # log p may leave a third move out
    everything = tensor(np.log(np.concatenate([np.exp(log_p), rest + 1e-30], axis=1)))
    network = torch.nn.Module()
    for i, values in enumerate(parameters):
        network.register_parameter(f"p{i}", torch.nn.Parameter(tensor(values)))
    network.forward = lambda planes: (everything, tensor(v[:, 0]))
    legal = torch.ones_like(everything, dtype=torch.bool)
    target = tensor(np.concatenate([pi, 0 * rest], axis=1))
    total = loss(network, None, legal, target, tensor(z), l2=c).total
    assert total.item() == pytest.approx(case.right[""].values, abs=1e-5)


def test_symmetric_positions_are_those_of_the_game():
    board, policy, *_ = symmetric.CASES[0].arguments
    images = list(THREE.symmetries(board, policy))
    for case in symmetric.CASES:
        *_, turns, mirror = case.arguments
        moved, pi = images[turns + 4 * mirror]
        board = symmetric.drawn(moved).replace(" ", " / ")
        assert case.right == {"board": board, "π": pi.tolist()}, case.words
    assert len({str(image) for image in images}) == 8  # no symmetry can hide behind another


def test_noise_of_9_4_is_that_of_the_package():
    for case in EXERCISES["9.4"].marking.all_cases:
        prior, legal, alpha, fraction, _ = case.arguments
        node = Node(THREE, THREE.initial_state())
        node.prior, node.legal_actions = list(prior), list(legal)
        wanted = RootNoise(alpha, fraction).mixed(node, np.random.default_rng(3))
        found = solution("9.4")(prior, legal, alpha, fraction, np.random.default_rng(3))
        assert found == pytest.approx(wanted)


@dataclass(frozen=True)
class TurnedOver:
    """``turned_over`` in the place of RootNoise."""

    def mixed(self, node, rng):
        return turned_over(node.prior, node.legal_actions)


def test_visits_of_9_6_are_those_of_the_package():
    for case, seen in seen_of("9.6"):
        game, moves, num_simulations, c, kind = case.arguments

        def evaluate(game, state, rng, kind=kind):
            return network(kind, game, state)

        search = MCTS(game, puct(c), evaluate, root_noise=TurnedOver())
        root = search.run(game.from_moves(moves), num_simulations).root
        assert root.visit_counts == seen["N at the root"], case.words
        assert root.value_sum == pytest.approx(seen["W at the root"])


# --- chapters 10 and 11 ---


def test_results_of_10_3_are_those_of_the_package_s_self_play():
    play = ReadableSelfPlay(replace(preset("tictactoe", "cpu"), value_target_mix=0, num_games=1))
    compared = 0
    for case, seen in list(seen_of("10.3"))[: len(samples.CASES)]:
        game, before, after = case.arguments
        if game.name != THREE.name:
            continue
        moves = before + after
        final = game.from_moves(moves)
        records = [
            Record(THREE.from_moves(moves[:ply]), np.full(9, 1 / 9, np.float32), 0.0)
            for ply in range(len(before), len(moves))
        ]
        made = play._samples([(ActiveGame(0, final, 9, records), game.outcome(final))])
        # Oldest last, there.
        assert made.value_target.tolist()[::-1] == seen["z"]
        compared += 1
    assert compared == 5


def test_an_iteration_learns_as_torch_does():
    """The optimizer of the check is torch's SGD."""
    marking = EXERCISES["10.5"].marking
    case, *_ = marking.all_cases
    sgd = functools.partial(torch.optim.SGD, lr=0.1)
    found = iteration.observe(solution("10.5"), case, optimizer=sgd)
    assert not marking.differing([found], [0])
    assert found["losses"].values[0] != found["losses"].values[2]


@pytest.mark.parametrize("case", bootstrap_interval.CASES, ids=lambda case: case.words)
def test_the_ends_are_exact_quantiles_and_chance_does_not_choose_others(case):
    (counts, num_resamples), ends = case.arguments, case.right["the interval"].values
    n, likely = sum(counts), np.ones(1)
    for _ in range(n):
        likely = np.convolve(likely, np.array(counts) / n)
    reached = np.cumsum(likely)
    for share, end in zip((0.025, 0.975), ends, strict=True):
        place = int(np.searchsorted(reached, share))
        assert place / (4 * n) == pytest.approx(end)
        away = min(abs(reached[max(place - 1, 0) : place + 1] - share))
        assert away > 4 * (0.025 * 0.975 / num_resamples) ** 0.5 or 1 in reached


def test_chances_are_those_of_the_multinomial():
    for case in chance_to_pass.CASES[:-1]:
        p_win, p_draw, n, threshold = case.arguments
        chance = sum(
            multinomial.pmf([w, d, n - w - d], n, [p_win, p_draw, 1 - p_win - p_draw])
            for w in range(n + 1)
            for d in range(n + 1 - w)
            if w + d / 2 > n * threshold
        )
        assert chance == pytest.approx(case.right, abs=1e-12)


# --- chapters 12 and 13 ---


@pytest.mark.parametrize("number", range(5))
def test_a_tree_of_12_2_is_that_of_the_compiled_engine(number):
    moves, left = (part[number] for part in step.CASES[0].arguments)
    state, budget = THREE.from_moves(moves), left or 5
    engine = BatchedSearch(THREE, 1, budget)
    engine.start(State(*(np.array([stones]) for stones in state)), budget)
    while len((leaves := engine.select()).me):
        states = [State(*map(int, key)) for key in zip(*leaves, strict=True)]
        answers = [ask_all.answer(THREE, state) for state in states]
        engine.update(*(np.array(part) for part in zip(*answers, strict=True)))
    seen = EXERCISES["12.2"].marking.right.seen[0]
    tree = [(seen[f"N of root {number}"], seen[f"W of root {number}"])]
    tree += [pair for pair in seen[f"N and W below root {number}"] if any(pair[0])]
    tables = (engine.visit_counts[0].tolist(), engine.value_sum[0].tolist())
    found = [(n, w) for n, w in zip(*tables, strict=True) if any(n)]
    assert sorted(tree) == sorted(found)


# The first outputs of splitmix64 from the state 1234567, as S. Vigna's program prints them; and
# the first one from 0.
PUBLISHED = (
    6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
    16408922859458223821,
)  # fmt: skip


def test_the_hash_of_13_6_is_splitmix64():
    states = [(1234567 + i * roll.GOLDEN) & roll.MASK for i in range(5)]
    assert tuple(map(roll.splitmix64, states)) == PUBLISHED
    assert roll.splitmix64(0) == 0xE220A8397B1DCDAF
    signed = np.array([state + roll.GOLDEN for state in states[:1]], dtype=np.uint64)
    found = mixed(torch.from_numpy(signed.astype(np.int64)))
    assert int(found[0]) % 2**64 == PUBLISHED[0]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (lambda x: 1 if x.sum() > 3 else 0, "read: `(lambda x: 1 if x.sum() > 3 else 0, "),
        (lambda x: x[x > 2], "shape: `(lambda x: x[x > 2], "),
        (lambda x: x.nonzero(), "shape: `(lambda x: x.nonzero(), "),
        (lambda x: x + torch.tensor([2.0, 0.0]), "upload: `(lambda x: x + torch.tensor"),
        (lambda x: x.tolist(), "read: `tolist`"),
        (lambda x: x[torch.arange(2)] + x.argmax(), "nothing"),
    ],
)
def test_the_guard_finds_what_a_gpu_would_be_waited_for(answer, found):
    _, waits, _ = watched(answer, torch.arange(2.0))
    assert waits.startswith(found)


def test_the_measurement_of_the_chapter_runs_in_the_simulator():
    command = [sys.executable, "-m", "azlearn.course.on_a_gpu", "2", "--device", "cpu"]
    done = subprocess.run(
        [*command, "--simulations", "2"], env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 games" in done.stdout
    assert "of the speed of the network alone" in done.stdout


def test_the_measurement_of_the_chapter_refuses_a_device_that_is_not_there():
    command = [sys.executable, "-m", "azlearn.course.on_a_gpu", "--device", "cuda:1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "device must be cuda, not 'cuda:1'" in done.stderr


# --- chapter 14: by the rules of the package, which agree with other programs (tests/games/go) ---


@pytest.mark.parametrize("game", [Go(5), Go(5, superko=True)], ids=["ko", "superko"])
def test_captures_and_legal_points_are_those_of_the_rules(game):
    capture, legal_points, forbidden = solution("14.1"), solution("14.2"), 0
    for seed in range(8):
        rng, states = np.random.default_rng(seed), [game.initial_state()]
        while options := game.rollout_actions(state := states[-1]):
            ply = len(states) - 1
            seen = [(s.me, s.opp) if s.ply % 2 == ply % 2 else (s.opp, s.me) for s in states]
            past = seen if game.superko else seen[-2:-1]
            found = legal_points(state.me, state.opp, past)
            legal = [a for a, point in enumerate(small_go.POINTS) if found & point]
            assert [*legal, small_go.PASS] == game.legal_actions(state)
            forbidden += found != legal_points(state.me, state.opp, [])
            action = int(rng.choice(options))
            states.append(game.next_state(state, action))
            if action != small_go.PASS:
                mine, theirs = capture(state.me, state.opp, small_go.POINTS[action])
                assert (theirs, mine) == tuple(states[-1][:2])
    assert forbidden > 2


def test_the_positions_of_the_chapter_on_go_are_what_its_sentences_say():
    cells = nbformat.read(ROOT / "notebooks" / "14_go.ipynb", as_version=4).cells
    source = "\n".join(cell.source for cell in cells if cell.cell_type == "code")

    def text(name):
        return re.search(rf'^ *{name} = (?:game|go)?\S*?"(.*)"', source, re.M)[1]

    game = Go(5)
    last = game.num_actions - 1
    # Sections 3 and 5: a pass loses, a stone on A5 takes eight and wins.
    state = game.from_moves(text("moves"))
    assert (game.to_play(state), state.passes) == (0, 1)
    assert game.score(game.play(state, last)) == -2.5
    taken = game.play(state, 0)
    assert state.opp.bit_count() - taken.me.bit_count() == 8
    assert game.score(taken) > 0
    # Section 2: the same stones, and only one of the two is a ko.
    ko, quiet = (game.from_moves(text(name)) for name in ("taken", "quiet"))
    assert game.cells(ko) == game.cells(quiet)
    assert 11 not in game.legal_actions(ko)
    assert 11 in game.legal_actions(quiet)
    # The clinic: patient one is in a ko, patient two has 13 points against 12 and komi.
    turns = text("turns")
    assert game.from_moves(f"{turns} B3").ko
    state = game.from_moves(f"{turns} pass B3 pass")
    assert (game.to_play(state), game.score(state)) == (0, 13 - 12 - 0.5)


# --- chapters 15 and 16 ---

ANSWERS = json.loads((Path(__file__).parents[1] / "mctx_gumbel.json").read_text())


@pytest.mark.parametrize(("case", "answer"), list(zip(CASES, ANSWERS, strict=True)))
def test_draws_visits_and_targets_are_those_of_mctx(case, answer):
    """15.1 to 15.4; the exercise does not stretch its Q."""
    game, noise, policy = GAMES[case.game], answer["noise"], answer["policy"]
    state = game.initial_state()
    for move in case.moves:
        state = game.next_state(state, move)
    (prior,), (value,) = evaluate(game, game.stack([state]))
    visits, q_values = Answer(**answer).nodes[""][:2]
    drawn = solution("15.1")(prior.tolist(), noise, case.num_considered)
    assert {a for a, n in enumerate(visits) if n} == set(drawn[: case.num_simulations])
    played, left, done, ranking = [0] * len(prior), drawn, 0, [0.0] * len(prior)
    while done < case.num_simulations:
        each, go_on = solution("15.2")(left, ranking, len(drawn), case.num_simulations)
        turns = (left * each)[: case.num_simulations - done]
        for action in turns:
            played[action] += 1
        left, done = go_on, done + len(turns)
    assert sorted(played) == sorted(visits)  # who wins a round does not change how many play it
    if not case.rescale:
        sums = [n * q for n, q in zip(visits, q_values, strict=True)]
        completed = solution("15.3")(visits, sums, prior.tolist(), float(value))
        found = solution("15.4")(prior.tolist(), completed, max(visits), 50.0, case.c_scale)
        assert found == pytest.approx(policy, abs=1e-6)


def test_the_solutions_of_chapter_16_are_a_game_in_lock_step_with_the_package_s(tmp_path):
    bodies = [EXERCISES[f"16.{number}"].marking.solution for number in (1, 2, 3, 4)]
    (tmp_path / "my_othello.py").write_text(FILE.format("\n\n".join(bodies)), encoding="utf-8")
    mine, theirs = make_game(f"{tmp_path / 'my_othello.py'}:MyOthello"), Othello(6)
    rng, passes = np.random.default_rng(0), 0
    for _ in range(30):
        a, b = mine.initial_state(), theirs.initial_state()
        while legal := mine.legal_actions(a):
            assert legal == theirs.legal_actions(b)
            assert mine.cells(a) == theirs.cells(b)
            assert mine.to_play(a) == theirs.to_play(b)
            passes += legal == [theirs.rules.PASS]
            action = int(rng.choice(legal))
            a, b = mine.play(a, action), theirs.play(b, action)
        assert mine.outcome(a) == theirs.outcome(b) is not None
    assert passes > 5


# --- the searches to look at ---


def test_only_one_move_holds_or_wins_the_positions_to_look_at_and_right_searches_find_it():
    """The messages say so, and that a wrong search does not, or with which visits."""
    start, only_move = your_search.START, your_search.ONLY_MOVE
    for action in FOUR.legal_actions(start):
        after = FOUR.play(start, action)
        replies = [FOUR.outcome(FOUR.play(after, a)) for a in FOUR.legal_actions(after)]
        assert (-1 in replies) == (action != only_move)
    assert minimax_value(THREE, your_puct.START) == 1
    assert minimax_actions(THREE, your_puct.START) == [your_puct.ONLY_MOVE]
    prior, value = your_puct.stand_in(THREE, your_puct.START)
    assert sum(prior) == pytest.approx(1)
    assert -1 <= value <= 1
    assert sum(p > prior[your_puct.ONLY_MOVE] for p in prior) == 2
    for found in (
        your_puct.right_puct(),
        your_alphago.right_apv(),
        your_alphago.right_threads(),
    ):
        assert found.best_action() == your_puct.ONLY_MOVE


def test_a_tree_full_of_virtual_losses_can_be_looked_at_and_one_without_a_visit_is_not_shown():
    tree = your_alphago.grow_by_threads(lambda path, leaf, value, virtual_loss: None)
    assert sum(tree.root.visit_counts) == your_alphago.VIRTUAL_LOSS * your_alphago.NUM_SIMULATIONS
    assert "Search tree" in explore_tree(tree).describe()

    def no_visit(path, leaf, value, virtual_loss):
        for node, action in path:
            node.visit_counts[action] -= virtual_loss

    with pytest.raises(ValueError, match="the root has no visit"):
        your_alphago.grow_by_threads(no_visit)
