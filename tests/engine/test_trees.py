"""The engine for many games against the readable search: equal, visit for visit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azlearn.games import ConnectFour, DotsAndBoxes, Go, Hex, Othello, State, TicTacToe
from azlearn.games.named import make_game
from azlearn.search import BatchedSearch, forced_puct, gumbel, puct, uct
from azlearn.search.engine import loops
from tests.engines import assert_engine_agrees, evaluators, random_positions, run, stacked
from tests.own_game import SOURCE
from tests.test_search_tree_policy import EvenRoot

FOUR, THREE, BOXES = ConnectFour(), TicTacToe(), DotsAndBoxes(2, 2)
BY_NAME = {"ids": lambda x: getattr(x, "name", None) or str(x)}
ARRAYS = ("words", "raw_value", "prior", "visit_counts", "value_sum", "child")
ONE_COLUMN_LEFT = "121212212121343434434343565656656565"
# Full columns, wins and threats of three kinds, and a board with one column left.
SPECIAL = [
    FOUR.from_moves(moves)
    for moves in ("111111", "111111222222", "444444", "445566", "121212", ONE_COLUMN_LEFT)
]
PLANS = [
    uct(0.7), puct(1.25, -1.0), puct(1.5, "parent", fpu_reduction=0.25), EvenRoot(),
    gumbel(), gumbel(4, c_scale=0.1, rescale=True), forced_puct(1.25, k=4.0),
]  # fmt: skip


def dirichlet(game, states, seed: int = 5) -> np.ndarray:
    """Noise of every other root."""
    noise, rng = game.batch_legal_mask(game.stack(states)) * 1.0, np.random.default_rng(seed)
    for row in noise:
        row[row > 0] = rng.dirichlet([0.8] * int(row.sum()))
    noise[::2] = 0
    return noise


@pytest.mark.parametrize("game", [FOUR, BOXES], **BY_NAME)
@pytest.mark.parametrize("tree_policy", PLANS, **BY_NAME)
def test_every_plan_grows_one_tree_in_plain_python(game, tree_policy):
    """With what is kept of it after a move and after two, and without."""
    # Two lines of Dots and Boxes in either order are one position, and so two nodes.
    then = (1, 1) if game is BOXES or isinstance(tree_policy, EvenRoot) else (1, 2)
    for kind, n, plies in (("rough", 60, then), ("constant", 17, ()), ("uniform", 1, ())):
        assert_engine_agrees(game, tree_policy, kind, n, plies_on=plies, compiled=False)


@pytest.mark.parametrize("game", [THREE, Othello(6), Hex(3), Go(3), Go(5, history=1)], **BY_NAME)
def test_every_game_grows_one_tree_in_plain_python(game):
    """Passes, moves in a row, captures, ko and every kind of end are among them."""
    assert_engine_agrees(game, puct(1.25), "rough", 60, plies_on=(2,), compiled=False)


SLOW = {"marks": pytest.mark.slow}  # what has to be compiled takes a quarter of a minute


@pytest.mark.parametrize(
    "tree_policy",
    [puct(1.5, "parent"), pytest.param(gumbel(), **SLOW), pytest.param(forced_puct(1.5), **SLOW)],
    **BY_NAME,
)
def test_every_plan_grows_one_tree_compiled(tree_policy):
    states = random_positions(FOUR, 6, seed=3) + SPECIAL
    noise = dirichlet(FOUR, states)
    if not tree_policy.mixes_noise:
        noise = np.random.default_rng(1).gumbel(size=noise.shape)
    for kind, n in (("rough", 90), ("hash", 2), ("constant", 17)):
        assert_engine_agrees(FOUR, tree_policy, kind, n, states, noise=noise)


@pytest.mark.slow
@pytest.mark.parametrize("game", [BOXES, Go(3), Go(9), "race"], **BY_NAME)
def test_a_game_grows_one_tree_compiled(game, tmp_path):
    """Conformance compares the compiled rules of every game; here are one whose players do not
    alternate, one with passes and captures, one with boards of two words, and a reader's own."""
    if game == "race":
        (tmp_path / "race.py").write_text(SOURCE, encoding="utf-8")
        game = make_game(f"{tmp_path}/race.py:Race")
    assert_engine_agrees(game, puct(1.25), "rough", 60, cache_bits=5)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    budgets=st.lists(st.integers(1, 90), min_size=1, max_size=5),
    kind=st.sampled_from(["hash", "rough", "uniform", "constant"]),
    c=st.one_of(st.just(0.0), st.floats(0.01, 20)),
    fpu=st.one_of(st.just("parent"), st.floats(-1, 1)),
    fpu_reduction=st.sampled_from([0.0, 0.25, 1.0]),
    cache_bits=st.sampled_from([0, 1, 10]),
)
def test_they_agree_whatever_the_settings(seed, budgets, kind, c, fpu, fpu_reduction, cache_bits):
    """A budget for each row. Each N of an edge into a node is 1 and what leaves it; W is within N;
    nothing is illegal."""
    states = random_positions(FOUR, len(budgets), seed)
    tree_policy = puct(c, fpu, fpu_reduction=fpu_reduction)
    engine = assert_engine_agrees(FOUR, tree_policy, kind, budgets, states, cache_bits=cache_bits)
    visits, child = engine.visit_counts, engine.child
    assert visits[:, 0].sum(1).tolist() == budgets
    rows, nodes, actions = child.nonzero()
    below = child[rows, nodes, actions]
    np.testing.assert_array_equal(visits[rows, nodes, actions], 1 + visits[rows, below].sum(1))
    assert (abs(engine.value_sum[rows, below]) <= visits[rows, below]).all()
    legal = FOUR.batch_legal_mask(FOUR.State(*engine.words[rows, below].T))
    assert not visits[rows, below][~legal].any()


def test_games_start_anew_while_the_others_go_on():
    """Rows take job after job; some searches are dropped half-way; every finished one agrees."""
    rng, batch = np.random.default_rng(4), evaluators(FOUR, "hash").batch
    jobs = list(zip(random_positions(FOUR, 30, seed=7), rng.integers(1, 60, 30), strict=True))
    alone = assert_engine_agrees(FOUR, puct(1.5), "hash", *reversed([*zip(*jobs, strict=True)]))
    engine = BatchedSearch(FOUR, 4, 60, puct(1.5), cache_bits=6)
    doing, num_compared, num_dropped = {}, 0, 0
    while jobs or doing:
        for row in engine.finished_games:
            if row in doing:
                right = alone.visit_counts[doing.pop(row), 0]
                assert engine.visit_counts[row, 0].tolist() == right.tolist()
                num_compared += 1
        leaves = engine.select()
        rows = [row for row in engine.finished_games if row not in doing][: len(jobs)]
        if jobs and rng.random() < 0.05:  # the question has been put, and nobody waits for it
            rows = np.union1d(rows, rng.integers(4)).astype(int)[: len(jobs)]
            num_dropped += sum(row in doing for row in rows)
        if len(rows):
            doing |= {row: len(jobs) - 1 - i for i, row in enumerate(rows)}
            states, budgets = zip(*(jobs.pop() for _ in rows), strict=True)
            engine.start(stacked(states), np.array(budgets), rows=rows)
            leaves = engine.select()
        if len(leaves.me):
            engine.update(*batch(leaves))
    assert num_dropped >= 2
    assert num_compared + num_dropped == 30


def test_the_cache_saves_questions_changes_nothing_and_is_kept_until_it_is_told_to_forget():
    """Large, and so small that positions push each other out."""
    states, asked, num_asked = stacked(random_positions(FOUR, 6, seed=2) * 2), [], {}

    def searched(engine, kind="rough"):
        def counted(leaves):
            asked.append(len(leaves.me))
            return evaluators(FOUR, kind).batch(leaves)

        asked.clear()
        engine.start(states, 60)
        run(engine, counted)
        columns = engine.visit_counts, engine.value_sum[:, 0], engine.prior[:, 0]
        return [column.copy() for column in columns]

    plain = searched(BatchedSearch(FOUR, 12, 60))
    for bits in (0, 1, 16):
        engine = BatchedSearch(FOUR, 12, 60, cache_bits=bits)
        np.testing.assert_equal(searched(engine), plain)
        num_asked[bits] = sum(asked)
        assert sum(asked) + engine.num_cached == num_asked[0]
    assert num_asked[16] < num_asked[1] <= num_asked[0]
    searched(engine)
    assert not asked  # all known
    engine.clear_cache()
    _, *roots = searched(engine, "hash")  # rows that no child leads to hold what was there before
    np.testing.assert_equal(roots, searched(BatchedSearch(FOUR, 12, 60), "hash")[1:])


def test_a_search_may_be_cut_anywhere(monkeypatch):
    """Near the end of a game nearly every descent needs no evaluation."""
    monkeypatch.setattr(loops, "MOST_DESCENTS", 3)
    states = [THREE.from_moves("15937")]
    assert_engine_agrees(THREE, puct(), "hash", 200, states, compiled=False)


FULL_COLUMN, BATCH = FOUR.from_moves("444444"), evaluators(FOUR, "hash").batch
NAN, EVEN, LEGAL = np.nan, np.full((2, 7), 1 / 7), np.array([[1, 1, 1, 0, 1, 1, 1]]) / 6


def half_way():
    """Two games under way, a third with a full column done, and all their arrays."""
    engine = BatchedSearch(FOUR, 3, 12)
    engine.start(stacked([State(0, 0), FOUR.from_moves("45"), FULL_COLUMN]), np.array([12, 12, 2]))
    for _ in range(5):
        engine.update(*BATCH(engine.select()))
    engine.select()
    return engine, [getattr(engine, name).copy() for name in ARRAYS]


OVER, ROW_2 = [FOUR.from_moves("1212121")], [FULL_COLUMN]
REFUSED = {
    "values must be in .* or is NaN": ("update", EVEN, np.array([0, NAN])),
    "priors must be 0 or more": ("update", EVEN * np.array([[1], [NAN]]), np.zeros(2)),
    "priors must be 0 or more and sum": ("update", np.eye(7)[[1, 2]] * 2 - EVEN, np.zeros(2)),
    r"For 2 positions pass a prior \[2, 7\] .* not \[1, 7\] and": ("update", EVEN[:1], np.zeros(2)),
    r"value \[2\], not \[2, 7\] and \[2, 1\]": ("update", EVEN, np.zeros((2, 1))),
    r"states must be int64 \[1\], one position": ("start", [State(0, 0)] * 2, 5, None),
    "The game in row 2 is over": ("start", OVER, 5, None),
    "num_simulations must be a whole number from 1 to 12": ("start", ROW_2, 13, None),
    r"or int \[1\] of such numbers": ("start", ROW_2, np.array([3, 3]), None),
    r"noise must be float \[1, 7\], not \[7\]": ("start", ROW_2, 5, LEGAL[0]),
    "The noise in row 2 must be probabilities of the legal": ("start", ROW_2, 5, EVEN[:1]),
    "in row 2 must be probabilities": ("start", ROW_2, 5, LEGAL * NAN),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused_changes_nothing(words):
    engine, before = half_way()
    method, first, *rest = REFUSED[words]
    if method == "start":
        first, rest = stacked(first), [*rest, [2]]
    with pytest.raises(ValueError, match=words) as error:
        getattr(engine, method)(first, *rest)
    assert "\n" not in str(error.value)
    np.testing.assert_equal([getattr(engine, name) for name in ARRAYS], before)
    run(engine, BATCH)
    roots = [State(*engine.words[row, 0].tolist()) for row in range(3)]
    right = assert_engine_agrees(FOUR, puct(), "hash", [12, 12, 2], roots)
    np.testing.assert_array_equal(engine.visit_counts, right.visit_counts)


def test_a_prior_on_an_illegal_move_changes_nothing():
    engine = BatchedSearch(FOUR, 1, 5)
    engine.start(stacked(ROW_2), 5)
    engine.select()
    with pytest.raises(ValueError, match="prior must be 0 for illegal moves"):
        engine.update(EVEN[:1], np.zeros(1))
    run(engine, BATCH)
    assert engine.visit_counts[0, 0].sum() == 5


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((0, 10), {}, "num_games must be a whole number, at least 1, not 0"),
        ((2, 0), {}, "max_simulations must be a whole number, at least 1, not 0"),
        ((2, 10, 1.5), {}, r"tree_policy must be a TreePolicy, such as puct\(1.25\), not 1.5"),
        ((1, 5), {"noise_fraction": NAN}, "^noise_fraction must be"),
        ((1, 5), {"cache_bits": 64}, "^cache_bits must be"),
    ],
)
def test_an_impossible_engine_is_refused(arguments, options, words):
    with pytest.raises(ValueError, match=words):
        BatchedSearch(FOUR, *arguments, **options)


class WithArrays(EvenRoot):
    """Makes an array on the way: compiled loops must count who uses it."""

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers):
        return ((prior * (1 + visit_counts)).sum(),)

    def __call__(self, node):
        total = (np.array(node.prior) * (1 + np.array(node.visit_counts))).sum()
        pairs = zip(node.visit_counts, node.prior, strict=True)
        return [total * p / (1 + n) for n, p in pairs]


@pytest.mark.slow
def test_a_plan_that_makes_arrays_is_searched_compiled():
    assert_engine_agrees(THREE, WithArrays(), "hash", 60)
