"""The compiled engine for many games against the readable search: equal, visit for visit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.search import MCTS, BatchedPUCT, RootNoise, puct
from tests.engines import assert_same_tree, evaluators, random_positions, run, stacked

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)
COMPILED = pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain Python"])
KINDS = ("hash", "rough", "uniform", "constant")
ARRAYS = ("words", "raw_value", "prior", "visit_counts", "value_sum", "child")
# Full columns, wins and threats of three kinds, and a board with one column left.
ONE_COLUMN_LEFT = "121212212121343434434343565656656565"
SPECIAL = [
    CONNECT_FOUR.from_moves(moves)
    for moves in ("111111", "111111222222", "444444", "445566", "121212", ONE_COLUMN_LEFT)
]


def searched(game, states, budgets, evaluate, plan=None, *, noise=None, **options):
    """An engine that has searched ``states``."""
    engine = BatchedPUCT(game, len(states), int(np.max(budgets)), plan, **options)
    engine.start(stacked(states), budgets, noise)
    run(engine, evaluate)
    return engine


def assert_agrees(game, states, budgets, kind, plan, **options):
    """Every node of every tree is the readable search's."""
    single, batch = evaluators(game, kind)
    engine = searched(game, states, budgets, batch, plan, **options)
    mcts = MCTS(game, plan, single)
    for row, (state, n) in enumerate(zip(states, np.broadcast_to(budgets, len(states)))):  # noqa: B905
        assert_same_tree(mcts.run(state, int(n)).root, engine, row)


@GAMES
@COMPILED
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fpu", [0.0, -1.0, "parent"])
def test_every_node_agrees_with_the_readable_search(game, compiled, kind, fpu):
    states = random_positions(game, 12, seed=3) + (SPECIAL if game is CONNECT_FOUR else [])
    for num_simulations in (1, 2, 17, 90) if compiled else (1, 40):
        assert_agrees(game, states, num_simulations, kind, puct(1.25, fpu), compiled=compiled)


@GAMES
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    budgets=st.lists(st.integers(1, 90), min_size=1, max_size=5),
    kind=st.sampled_from(KINDS),
    c=st.one_of(st.just(0.0), st.floats(0.01, 20)),
    fpu=st.one_of(st.just("parent"), st.floats(-1, 1)),
    fpu_reduction=st.sampled_from([0.0, 0.25, 1.0]),
    cache_bits=st.sampled_from([0, 1, 10]),
)
def test_they_agree_whatever_the_settings_with_a_budget_a_row(
    game, seed, budgets, kind, c, fpu, fpu_reduction, **options
):
    states = random_positions(game, len(budgets), seed)
    plan = puct(c, fpu, fpu_reduction=fpu_reduction)
    assert_agrees(game, states, np.array(budgets), kind, plan, **options)


@GAMES
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), num_simulations=st.integers(1, 200))
def test_visits_add_up_in_every_node(game, seed, num_simulations):
    """N of an edge into a node is 1 and what leaves it; W is within N; nothing is illegal."""
    states = random_positions(game, 8, seed)
    engine = searched(game, states, num_simulations, evaluators(game, "rough").batch, puct(2.0))
    visits, value_sum, child = engine.visit_counts, engine.value_sum, engine.child
    assert (visits[:, 0].sum(1) == num_simulations).all()
    rows, nodes, actions = child.nonzero()
    below = child[rows, nodes, actions]
    np.testing.assert_array_equal(visits[rows, nodes, actions], 1 + visits[rows, below].sum(1))
    for row, state in enumerate(states):
        in_tree = [0, *below[rows == row]]
        assert (abs(value_sum[row, in_tree]) <= visits[row, in_tree]).all()
        legal = game.batch_legal_mask(game.State(*engine.words[row, in_tree].T))
        assert not visits[row, in_tree][~legal].any()
        assert engine.words[row, 0].tolist() == list(state)


def test_a_win_in_one_takes_the_visits_and_is_no_node():
    """X: 1 2, O: 4 5, X to move. With c = 0 the won move, once tried, is met for ever after."""
    state = TIC_TAC_TOE.from_moves("1425")
    asked = []

    def batch(leaves):
        asked.append(leaves)
        return evaluators(TIC_TAC_TOE, "constant").batch(leaves)

    engine = searched(TIC_TAC_TOE, [state], 50, batch, puct(0.0))
    # Every score is 0 until a move is worth more: the first legal one, cell 3, wins.
    assert engine.visit_counts[0, 0].tolist() == [0, 0, 50, 0, 0, 0, 0, 0, 0]
    assert engine.value_sum[0, 0, 2] == 50
    assert not engine.child.any()
    assert len(asked) == 1  # of the root; the rules answered the rest


def test_a_forced_line_is_followed_to_the_full_board_beside_games_of_other_depths():
    states = [SPECIAL[-1], State(0, 0), *random_positions(CONNECT_FOUR, 6, seed=8)]
    _, batch = evaluators(CONNECT_FOUR, "hash")
    engine = searched(CONNECT_FOUR, states, 200, batch, puct(0.5))
    # Five positions behind the root; the sixth stone fills the board, which is no node.
    assert engine.visit_counts[0].sum(1)[:8].tolist() == [200, 199, 198, 197, 196, 195, 0, 0]
    assert_agrees(CONNECT_FOUR, states, 200, "constant", puct(0.5, 0.0))


@COMPILED
def test_games_start_anew_while_the_others_go_on(compiled):
    """Rows take job after job; some searches are dropped half-way; every finished one agrees."""
    game, rng = CONNECT_FOUR, np.random.default_rng(4)
    single, batch = evaluators(game, "hash")
    mcts = MCTS(game, puct(1.5), single)
    jobs = list(zip(random_positions(game, 30, seed=7), rng.integers(1, 60, 30), strict=True))
    engine = BatchedPUCT(game, 4, 60, puct(1.5), cache_bits=6, compiled=compiled)
    doing, num_compared, num_dropped = {}, 0, 0
    while jobs or doing:
        for row in engine.idle:
            if row in doing:
                state, n = doing.pop(row)
                assert_same_tree(mcts.run(state, int(n)).root, engine, row)
                num_compared += 1
        leaves = engine.select()
        rows = engine.idle[: len(jobs)]
        rows = rows[[row not in doing for row in rows]]
        if jobs and rng.random() < 0.05:  # the question has been put, and nobody waits for it
            rows = np.union1d(rows, rng.integers(4))[: len(jobs)]
            num_dropped += sum(row in doing for row in rows)
        if len(rows):
            doing |= {row: jobs.pop() for row in rows}
            states, budgets = zip(*(doing[row] for row in rows), strict=True)
            engine.start(stacked(states), np.array(budgets), rows=rows)
            leaves = engine.select()
        if len(leaves.me):
            engine.update(*batch(leaves))
    assert num_dropped >= 2
    assert num_compared + num_dropped == 30


def test_a_start_makes_the_question_before_it_void():
    """Else the answer about the old leaf would become the evaluation of the new root."""
    single, batch = evaluators(CONNECT_FOUR, "hash")
    engine = BatchedPUCT(CONNECT_FOUR, 2, 20)
    engine.start(State(np.zeros(2, int), np.zeros(2, int)), 20)
    answer = batch(engine.select())
    state = CONNECT_FOUR.from_moves("44")
    engine.start(stacked([state]), 20, rows=[1])
    with pytest.raises(ValueError, match="0 positions wait"):
        engine.update(*answer)
    run(engine, batch)
    mcts = MCTS(CONNECT_FOUR, puct(), single)
    for row, root in enumerate((State(0, 0), state)):
        assert_same_tree(mcts.run(root, 20).root, engine, row)


@GAMES
@COMPILED
def test_the_cache_saves_questions_and_changes_nothing(game, compiled):
    """Large, and so small that positions push each other out."""
    states, n = random_positions(game, 6, seed=2) * 2, 60
    _, batch = evaluators(game, "rough")
    plain = searched(game, states, n, batch, puct(1.5, "parent"), compiled=compiled)
    asked = []

    def counted(leaves):
        asked.append(len(leaves.me))
        return batch(leaves)

    num_asked = {}
    for cache_bits in (0, 1, 16):
        asked.clear()
        engine = searched(
            game, states, n, counted, puct(1.5, "parent"), cache_bits=cache_bits, compiled=compiled
        )
        for name in ("visit_counts", "value_sum", "prior", "child"):
            np.testing.assert_array_equal(getattr(engine, name), getattr(plain, name))
        num_asked[cache_bits] = sum(asked)
        assert sum(asked) + engine.num_cached == num_asked[0]
    assert num_asked[16] < num_asked[1] <= num_asked[0]


def test_the_cache_is_kept_until_it_is_told_to_forget():
    states = stacked(random_positions(CONNECT_FOUR, 4, seed=9))
    engine = BatchedPUCT(CONNECT_FOUR, 4, 30, cache_bits=16)
    one, other = (evaluators(CONNECT_FOUR, kind).batch for kind in ("hash", "rough"))
    engine.start(states, 30)
    assert run(engine, one) > 0
    visits = engine.visit_counts[:, 0].copy()
    engine.start(states, 30)
    assert run(engine, one) == 0  # all known
    np.testing.assert_array_equal(engine.visit_counts[:, 0], visits)
    engine.forget()
    engine.start(states, 30)
    run(engine, other)
    fresh = BatchedPUCT(CONNECT_FOUR, 4, 30)
    fresh.start(states, 30)
    run(fresh, other)
    for name in ("visit_counts", "value_sum", "raw_value"):
        np.testing.assert_array_equal(getattr(engine, name)[:, 0], getattr(fresh, name)[:, 0])


@pytest.mark.parametrize("cache_bits", [0, 12])
def test_noise_as_the_readable_search_mixes_it(cache_bits):
    states, n = random_positions(CONNECT_FOUR, 12, seed=5), 60
    single, batch = evaluators(CONNECT_FOUR, "hash")
    mcts = MCTS(CONNECT_FOUR, puct(1.5), single, root_noise=RootNoise(0.8, 0.25))
    trees = [mcts.run(state, n, rng=row) for row, state in enumerate(states)]
    noise = np.zeros((len(states), 7))
    for row, state in enumerate(states):
        legal, rng = CONNECT_FOUR.legal_actions(state), np.random.default_rng(row)
        rng.spawn(1)  # the root's evaluation has the first
        noise[row, legal] = rng.spawn(1)[0].dirichlet([0.8] * len(legal))
    options = {"cache_bits": cache_bits}
    engine = searched(CONNECT_FOUR, states, n, batch, puct(1.5), noise=noise, **options)
    plain = searched(CONNECT_FOUR, states, n, batch, puct(1.5), **options)
    for row, tree in enumerate(trees):
        assert_same_tree(tree.root, engine, row)
    # Every other game without, in the same engine: the cache must hold priors without noise.
    noise[::2] = 0
    engine.start(stacked(states), n, noise)
    run(engine, batch)
    half = engine.visit_counts[:, 0]
    np.testing.assert_array_equal(half[::2], plain.visit_counts[::2, 0])
    for row in range(1, len(states), 2):
        assert_same_tree(trees[row].root, engine, row)
    none = searched(CONNECT_FOUR, states, n, batch, puct(1.5), noise=noise, noise_fraction=0.0)
    np.testing.assert_array_equal(none.visit_counts[:, 0], plain.visit_counts[:, 0])
    assert (half != plain.visit_counts[:, 0]).any()


def test_select_alone_changes_nothing_and_idle_games_are_named():
    _, batch = evaluators(CONNECT_FOUR, "hash")
    states, budgets = random_positions(CONNECT_FOUR, 4, seed=6), np.array([30, 3, 30, 12])
    once = searched(CONNECT_FOUR, states, budgets, batch)
    twice, roots = BatchedPUCT(CONNECT_FOUR, 4, 30), stacked(states)
    assert twice.idle.tolist() == [0, 1, 2, 3]
    assert len(twice.select().me) == 0  # nothing has been started
    twice.start(roots, budgets)
    roots.me[:] = 1  # the engine has its own copy
    idle = [twice.idle.tolist()]
    while len((leaves := twice.select()).me):
        again = twice.select()
        assert leaves.me.tolist() == again.me.tolist()
        idle.append(twice.idle.tolist())
        done = twice.visit_counts[:, 0].sum(1) == budgets
        assert idle[-1] == np.flatnonzero(done).tolist()
        twice.update(*batch(again))
        with pytest.raises(ValueError, match="0 positions wait"):
            twice.update(*batch(again))  # answered already
    assert all(games in idle for games in ([], [1], [1, 3]))
    assert twice.idle.tolist() == [0, 1, 2, 3]
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(once, name), getattr(twice, name))


FULL_COLUMN, BATCH = CONNECT_FOUR.from_moves("444444"), evaluators(CONNECT_FOUR, "hash").batch
NAN, EVEN, LEGAL = np.nan, np.full((2, 7), 1 / 7), np.array([[1, 1, 1, 0, 1, 1, 1]]) / 6


def half_way():
    """Two games under way, a third with a full column done, and all their arrays."""
    engine = BatchedPUCT(CONNECT_FOUR, 3, 12)
    states = stacked([State(0, 0), CONNECT_FOUR.from_moves("45"), FULL_COLUMN])
    engine.start(states, np.array([12, 12, 2]))
    for _ in range(5):
        engine.update(*BATCH(engine.select()))
    engine.select()
    return engine, [getattr(engine, name).copy() for name in ARRAYS]


def assert_untouched(engine, before):
    for name, array in zip(ARRAYS, before, strict=True):
        np.testing.assert_array_equal(getattr(engine, name), array)
    run(engine, BATCH)
    single = evaluators(CONNECT_FOUR, "hash").single
    for row, n in enumerate((12, 12, 2)):
        root = State(*engine.words[row, 0].tolist())
        assert_same_tree(MCTS(CONNECT_FOUR, puct(), single).run(root, n).root, engine, row)


@pytest.mark.parametrize(
    ("prior", "value", "words"),
    [
        (EVEN, np.array([0, NAN]), "values must lie in .* or is NaN"),
        (EVEN, np.array([0, 1.5]), "values must lie in"),
        (EVEN * np.array([[1], [NAN]]), np.zeros(2), "priors must be 0 or more and sum to 1"),
        (EVEN * 2, np.zeros(2), "priors must be 0 or more and sum to 1"),
        (np.eye(7)[[1, 2]] * 2 - EVEN, np.zeros(2), "priors must be 0 or more and sum to 1"),
        (EVEN[:1], np.zeros(2), r"2 positions wait for prior \[2, 7\] .* not \[1, 7\] and \[2\]"),
        (EVEN[:, :6], np.zeros(2), r"not \[2, 6\] and \[2\]"),
        (EVEN, np.zeros((2, 1)), r"value \[2\], not \[2, 7\] and \[2, 1\]"),
        (EVEN, 0.0, r"not \[2, 7\] and \[\]"),
    ],
)
def test_an_answer_that_is_none_changes_nothing(prior, value, words):
    engine, before = half_way()
    with pytest.raises(ValueError, match=words) as error:
        engine.update(prior, value)
    assert "\n" not in str(error.value)
    assert_untouched(engine, before)


def test_a_prior_on_an_illegal_move_changes_nothing():
    engine = BatchedPUCT(CONNECT_FOUR, 1, 5)
    engine.start(stacked([FULL_COLUMN]), 5)
    engine.select()
    with pytest.raises(ValueError, match="prior to an illegal move"):
        engine.update(EVEN[:1], np.zeros(1))
    run(engine, BATCH)
    assert engine.visit_counts[0, 0].sum() == 5


@pytest.mark.parametrize(
    "options", [{"noise_fraction": -0.1}, {"noise_fraction": NAN}, {"cache_bits": -1},
                {"cache_bits": 1.5}, {"cache_bits": 64}],
)  # fmt: skip
def test_impossible_options_are_refused_by_name(options):
    with pytest.raises(ValueError, match=f"^{next(iter(options))} must be"):
        BatchedPUCT(CONNECT_FOUR, 1, 5, **options)


@pytest.mark.parametrize(
    ("states", "budget", "noise", "words"),
    [
        ([State(0, 0), State(0, 0)], 5, None, r"states must be int64 \[1\], one position a game"),
        ([CONNECT_FOUR.from_moves("1212121")], 5, None, "The game in row 2 is over"),
        ([FULL_COLUMN], 0, None, "num_simulations must be a whole number from 1 to 12"),
        ([FULL_COLUMN], 13, None, "num_simulations must be a whole number from 1 to 12"),
        ([FULL_COLUMN], 2.5, None, "num_simulations must be a whole number from 1 to 12"),
        ([FULL_COLUMN], np.array([3, 3]), None, r"or int \[1\] of such numbers"),
        ([FULL_COLUMN], 5, LEGAL[0], r"noise must be float \[1, 7\], not \[7\]"),
        ([FULL_COLUMN], 5, EVEN[:1], "The noise in row 2 must be probabilities of the legal"),
        ([FULL_COLUMN], 5, LEGAL / 2, "The noise in row 2 must be probabilities"),
        ([FULL_COLUMN], 5, LEGAL * NAN, "The noise in row 2 must be probabilities"),
    ],
)
def test_a_start_that_is_refused_changes_nothing(states, budget, noise, words):
    engine, before = half_way()
    with pytest.raises(ValueError, match=words) as error:
        engine.start(stacked(states), budget, noise, rows=[2])
    assert "\n" not in str(error.value)
    assert_untouched(engine, before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 10), "num_games must be a whole number, at least 1, not 0"),
        ((2, 0), "max_simulations must be a whole number, at least 1, not 0"),
        ((2, 10, 1.5), r"plan must be a Plan, such as puct\(1.25\), not 1.5"),
    ],
)
def test_an_impossible_engine_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        BatchedPUCT(CONNECT_FOUR, *arguments)
