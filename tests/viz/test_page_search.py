"""Games and searches in a page, beside Python's: rules, planes, boards, trees, and the sliders."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import Drawing, Go, State, TicTacToe, template
from azlearn.games.javascript import CannotTranslate, to_javascript
from azlearn.games.named import make_game, word_of
from azlearn.games.template import MyGame
from azlearn.search import (
    GumbelNoise,
    RootNoise,
    constant,
    gumbel,
    puct,
    random_rollout,
    record_search,
    uct,
)
from azlearn.search.evaluators import hash_evaluator
from azlearn.viz import assets, explore
from tests.own_game import SOURCE
from tests.viz.loops import Loops
from tests.viz.nim import Nim, Pile
from tests.viz.page import now, part
from tests.viz.slide import Slide

pytestmark = pytest.mark.browser

NUM_GAMES = 1000
GAMES = {
    "connect4": make_game("connect4"), "tictactoe": TicTacToe(), "othello": make_game("othello:6"),
    "hex": make_game("hex:5"), "dots": make_game("dots_and_boxes:2x2"), "go5": make_game("go:5"),
    "own": MyGame(), "loops": Loops(), "slide": Slide(),
}  # fmt: skip
SLOW = {"othello8": make_game("othello:8"), "go7": Go(7, suicide=True), "go9": make_game("go:9")}
QUICK = ("connect4", "tictactoe", "dots", "own", "loops", "slide")
PLAYED = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name in (*GAMES, *SLOW)
]


@pytest.fixture(scope="module")
def in_page(browser):
    """A function that calls a function of a page on a game and on data."""
    page = browser.new_page()
    page.set_content("<p>search</p>")
    page.add_script_tag(content=assets.module("page_search.js"))
    games = ",".join(f"{name}: {to_javascript(game)}" for name, game in (GAMES | SLOW).items())
    page.add_script_tag(content=f"const sources = {{{games}}};")
    yield lambda script, data: json.loads(page.evaluate(script, json.dumps(data)))
    page.close()


def played(game, num_games):
    """Random games by the batch form: actions, legal moves and movers of each ply, the ends."""
    rng, states = np.random.default_rng(0), game.stack([game.initial_state()] * num_games)
    plies = []
    while not (over := game.batch_outcome(states)[0]).all():
        legal, movers = game.batch_legal_mask(states), game.batch_to_play(states)
        chance = rng.random(legal.shape) * legal
        actions = np.where(over, -1, chance.argmax(axis=1))
        plies.append((actions, legal, movers))
        rows = ~over
        after = game.rules.play(game.State(*(word[rows] for word in states)), actions[rows])
        words = [word.copy() for word in states]
        for word, new in zip(words, after, strict=True):
            word[rows] = new
        states = game.State(*words)
    return plies, states


REPLAY = """text => {
  const { name, plies, ends, results } = JSON.parse(text), game = new Game(sources[name]);
  const wrong = [];
  ends.forEach((end, g) => {
    let state = game.initial;
    for (const [actions, legal, movers] of plies) {
      if (actions[g] < 0) break;
      const here = game.legal(state).join();
      if (here !== legal[g].join() || game.toPlay(state) !== movers[g]) wrong.push([g, here]);
      state = game.play(state, actions[g]);
    }
    if (state.join() !== end.join() || game.outcome(state) !== results[g]) wrong.push([g, "end"]);
    if (game.legal(state).length) wrong.push([g, "moves after the end"]);
  });
  return JSON.stringify(wrong.slice(0, 5));
}"""


@pytest.mark.parametrize("name", PLAYED)
def test_random_games_are_as_in_python(in_page, name):
    """Legal moves, who moves, every word of the last state, the result."""
    game = (GAMES | SLOW)[name]
    plies, states = played(game, NUM_GAMES)
    rows = [[str(word[g]) for word in states] for g in range(NUM_GAMES)]
    told = [
        (actions.tolist(), [np.flatnonzero(row).tolist() for row in legal], movers.tolist())
        for actions, legal, movers in plies
    ]
    results = game.batch_outcome(states)[1].tolist()
    assert in_page(REPLAY, {"name": name, "plies": told, "ends": rows, "results": results}) == []
    assert len(plies) > 8


BOARDS = """text => {
  const { name, states } = JSON.parse(text), game = new Game(sources[name]);
  return JSON.stringify(states.map(words => {
    const state = words.map(BigInt), cells = game.cells(state);
    return [[...game.planes(state)], cells, game.highlights(state, cells)];
  }));
}"""


@pytest.mark.parametrize("name", [*GAMES, *SLOW])
def test_planes_boards_and_lines_are_as_in_python(in_page, name):
    game, states = (GAMES | SLOW)[name], []
    rng = np.random.default_rng(1)
    for _ in range(5):
        state = game.initial_state()
        while legal := game.legal_actions(state):
            states.append(state)
            state = game.next_state(state, int(rng.choice(legal)))
        states.append(state)
    found = in_page(BOARDS, {"name": name, "states": [[*map(str, state)] for state in states]})
    for state, (planes, cells, highlights) in zip(states, found, strict=True):
        assert planes == game.encode(state).ravel().tolist()
        assert cells == game.cells(state)
        assert highlights == game.highlights(state) or name == "hex"  # whose chain is not drawn


SEARCH = """text => {
  const { name, search, evaluate, moves, about, simulations } = JSON.parse(text);
  const game = new Game(sources[name]), state = moves.reduce((s, a) => game.play(s, a), game.initial);
  const run = new Search(game, { ...search, evaluate: evaluatorOf(evaluate) });
  const recorder = new Recorder(about, null);
  for (const _ of run.run(new Node(game, state), simulations, recorder));
  return JSON.stringify(recorder.record());
}"""  # noqa: E501
POLICIES = {
    "uct": uct(1.4), "puct": puct(1.25), "reduced": puct(2.0, "parent", fpu_reduction=0.3),
    "gumbel": gumbel(), "halving": gumbel(4, c_visit=10, rescale=True),
}  # fmt: skip


@pytest.mark.parametrize("expand", ["one", "all"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "name", [*PLAYED[: len(GAMES)], pytest.param("go9", marks=pytest.mark.slow)]
)
def test_a_search_leaves_pythons_record(in_page, name, policy, expand):
    """Node for node, with an evaluator that is a hash of the position."""
    game, select, simulations = (GAMES | SLOW)[name], POLICIES[policy], 60
    moves, state = [], game.initial_state()
    for _ in range(3):
        legal = game.legal_actions(state)
        moves.append(legal[len(legal) // 2])
        state = game.next_state(state, moves[-1])
    record = record_search(game, state, select, hash_evaluator, simulations, expand=expand)
    record = json.loads(json.dumps(record.to_dict()))
    given = {"select": {"name": select.name, **select.parameters}, "expand": expand}
    found = in_page(SEARCH, {
        "name": name, "search": given, "evaluate": {"kind": "hash"}, "moves": moves,
        "about": record["game"], "simulations": simulations,
    })  # fmt: skip
    for side in (found, record):
        side["nodes"].pop("highlights")  # the test above has them
    scores = [side["steps"].pop("scores") for side in (found, record)]
    assert found == record
    if scores[1] is not None:  # six digits, rounded in two ways where they end in a 5
        flat = [[x for row in rows for node in row for x in node] for rows in scores]
        np.testing.assert_allclose(*(np.array(side, float) for side in flat), rtol=1e-5)


SIZE = SEARCH.replace("recorder.record()", "recorder.record().nodes.parent.length")


def test_a_large_search_is_recorded(in_page):
    """A function takes about 120,000 arguments at most; the play page offers larger searches."""
    found = in_page(SIZE, {
        "name": "connect4", "search": {"select": {"name": "uct", "c": 9.0}, "expand": "all"},
        "evaluate": {"kind": "constant"}, "moves": [], "simulations": 22_000,
        "about": {"rows": 6, "cols": 7},
    })  # fmt: skip
    assert found > 150_000


DRAWS = """text => {
  const random = new Random(7), n = 20000, alpha = 0.3;
  const first = Array.from({ length: n }, () => random.dirichlet(alpha, 4)[0]);
  const gumbel = Array.from({ length: n }, () => random.gumbel()), mean = x => x.reduce((a, b) => a + b) / n;
  const spread = x => mean(x.map(v => (v - mean(x)) ** 2)), m = mean(first), g = mean(gumbel);
  const square = x => { const m = mean(x); return mean(x.map(v => (v - m) ** 2)); };
  const same = [new Random(5), new Random(5), new Random(6)].map(r => r.uniform());
  return JSON.stringify({ m, v: square(first), g, w: square(gumbel), same });
}"""  # noqa: E501


def test_noise_has_the_right_moments(in_page):
    found, alpha, n = in_page(DRAWS, {}), 0.3, 20_000
    variance = 0.25 * 0.75 / (4 * alpha + 1)  # of a component of a symmetric Dirichlet
    assert abs(found["m"] - 0.25) < 5 * (variance / n) ** 0.5
    assert abs(found["v"] - variance) < 0.05 * variance
    assert abs(found["g"] - np.euler_gamma) < 5 * (np.pi**2 / 6 / n) ** 0.5
    assert abs(found["w"] - np.pi**2 / 6) < 0.05 * np.pi**2 / 6
    assert found["same"][0] == found["same"][1] != found["same"][2]


def test_random_rollouts_find_the_win(in_page):
    """Three in a row, and nothing to fear: UCT plays the fourth."""
    game = GAMES["connect4"]
    found = in_page(SEARCH, {
        "name": "connect4", "search": {"select": {"name": "uct", "c": 1.0}, "seed": 3},
        "evaluate": {"kind": "rollout", "count": 1}, "moves": [3, 0, 3, 0, 3, 1],
        "about": record_search(game, game.initial_state(), uct(), constant(), 1).to_dict()["game"],
        "simulations": 300,
    })  # fmt: skip
    parent, visits = found["nodes"]["parent"], Counter()
    for node in found["steps"]["leaf"]:
        while parent[node] > 0:
            node = parent[node]
        visits[found["nodes"]["action"][node]] += 1
    assert visits.most_common(1)[0][0] == 3


@pytest.mark.parametrize("name", ["slide", "connect4", "own"])
def test_a_rollout_fills_empty_cells(in_page, name):
    game = GAMES[name]
    record = record_search(game, game.initial_state(), uct(), random_rollout(), 1).to_dict()
    found = in_page(SEARCH, {
        "name": name, "search": {"select": {"name": "uct", "c": 1.0}, "seed": 1}, "moves": [0, 4],
        "evaluate": {"kind": "rollout", "count": 1}, "about": record["game"], "simulations": 50,
    })  # fmt: skip
    parents, cells = found["nodes"]["parent"], found["nodes"]["cell"]
    start = {i for i, cell in enumerate(found["root"]["cells"]) if cell}
    for leaf, rollout in zip(found["steps"]["leaf"], found["steps"]["rollout"], strict=True):
        filled = [ord(c) - 48 for c in rollout]
        while leaf > 0:
            filled.append(cells[leaf])
            leaf = parents[leaf]
        assert len({*filled, *start}) == len(filled) + len(start)
        assert max(filled) < game.rows * game.cols


@pytest.mark.parametrize("odd", ["sum([0, state.me])", "int(np.e - 2)"])
def test_what_has_no_form_is_named_with_file_and_line(tmp_path, odd):
    path = tmp_path / "odd_game.py"
    text = Path(template.__file__).read_text()
    text = text.replace(
        "~(state.me | state.opp | around", f"~({odd} | state.me | state.opp | around"
    )
    path.write_text(text)
    line = 1 + next(k for k, row in enumerate(text.splitlines()) if odd in row)
    game = make_game(f"{path}:MyGame")
    said = rf"odd_game\.py, line {line}: `(sum.*|np\.e)` cannot be translated"
    with pytest.raises(CannotTranslate, match=said):
        to_javascript(game)
    assert "This page replays the search." in explore(game, num_simulations=5).to_html()


class OtherPlanes(MyGame):
    num_planes = 3

    def encode(self, state):
        return np.concatenate([super().encode(state), np.ones((1, 5, 5), np.float32)])


class OtherStart(MyGame):
    def initial_state(self):
        return State(1, 0)


def test_what_a_page_cannot_play_is_a_replay(tmp_path):
    (race := tmp_path / "race.py").write_text(SOURCE)
    own = make_game(f"{race}:Race")
    with pytest.raises(CannotTranslate, match=r"of Race .* \(a plane is not one bit of a word\)"):
        to_javascript(own)
    part = tmp_path / "part.py"
    rule = "from functools import partial\noptions = partial(options)\n\n\ndef is_legal("
    part.write_text(Path(template.__file__).read_text().replace("def is_legal(", rule))
    other = make_game(f"{part}:MyGame")
    with pytest.raises(CannotTranslate, match="options is neither a function nor made of whole"):
        to_javascript(other)
    for one in (own, other, Nim(Pile)):
        assert "This page replays the search." in explore(one, num_simulations=5).to_html()
    with pytest.raises(ValueError, match="Nim has no rules module, so a page cannot play it"):
        explore(Nim(Pile), num_simulations=5).to_html(live=True)
    for one, name in {
        Go(5, superko=True): "next_state", OtherPlanes(): "encode",
        OtherStart(): "initial_state",
    }.items():  # fmt: skip
        with pytest.raises(CannotTranslate, match=f"overrides {name}, which a page derives"):
            to_javascript(one)


def test_a_game_has_a_word():
    for game in (*GAMES.values(), *SLOW.values(), Go(5, komi=0, superko=True)):
        word = word_of(game)
        assert word is None if isinstance(game, MyGame | Slide) else make_game(word) == game


def test_sliders_search_in_the_page(opened):
    explorer = explore(GAMES["connect4"], "4453", num_simulations=50)
    page = opened(explorer)
    page.locator('[data-pop="knobs"]').click()
    page.locator('[data-number="num_simulations"]').fill("400")
    page.keyboard.press("Enter")
    what = part(page, "settings")
    expect(what).to_contain_text("400 sims")
    assert now(page)[0] == 400
    page.locator("[data-undo]").click()
    expect(page.locator("[data-moves]")).to_have_value("445")
    expect(part(page, "what")).to_contain_text("Yellow to move")
    page.locator("[data-moves]").fill("4444")
    page.keyboard.press("Enter")
    expect(part(page, "what")).to_contain_text("Red to move")
    page.locator("[data-moves]").fill("449")
    page.keyboard.press("Enter")
    expect(part(page, "silent")).to_contain_text("“9” is not a move")
    page.locator("[data-moves]").fill("44444444")
    page.keyboard.press("Enter")
    expect(part(page, "notice")).to_contain_text("Move 7 is illegal there")
    expect(page.locator("[data-moves]")).to_have_value("4444")
    page.locator('[data-number="num_simulations"]').fill("1000000")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    assert now(page)[0] < 1_000_000


@pytest.mark.parametrize(
    "options",
    [
        {"select": puct(), "evaluate": constant(), "root_noise": RootNoise(1.0)},
        {"select": gumbel(), "evaluate": random_rollout(2), "root_noise": GumbelNoise()},
        {"expand": "all"},
    ],
    ids=["noise", "gumbel", "all"],
)
def test_other_searches_run_in_the_page(opened, options):
    page = opened(explore(TicTacToe(), num_simulations=20, **options))
    page.locator('[data-pop="knobs"]').click()
    page.locator("[data-next]").click()
    expect(part(page, "settings")).to_contain_text("seed 1")
    assert now(page)[0] >= 20


def test_what_only_python_can_run_stays_a_replay(opened):
    explorer = explore(TicTacToe(), evaluate=lambda *_: (None, 0.0), num_simulations=5)
    page = opened(explorer)
    sentence = (
        "The evaluator is Python code, which a page cannot run. This page replays the search."
    )
    expect(part(page, "notice")).to_have_text(sentence)
    assert page.locator('[data-pop="knobs"]').count() == 0
    with pytest.raises(ValueError, match="Python code"):
        explorer.to_html(live=True)
    assert "knobs" not in explorer.to_html(live=False).partition('id="state">')[2][:200]


def test_a_kernel_takes_moves_too():
    explorer = explore(GAMES["connect4"], "44", num_simulations=20)
    explorer.rerun(moves=[3, 3, 2])
    assert explorer.record["root"]["to_play"] == 1
    assert explorer.opening == [3, 3, 2]
    with pytest.raises(ValueError, match="nothing to search"):
        explorer.rerun(moves=[0, 1, 0, 1, 0, 1, 0])
    with pytest.raises(ValueError, match="illegal there"):
        explorer.rerun(moves=[0] * 7)
    assert isinstance(explorer.recording.tree.root.state, State)


EVIL = '</script><script>window.hacked = 1</script>"); window.hacked = 1; ("'


class Hostile(MyGame):
    """A game whose words are scripts."""

    name = EVIL
    drawing = Drawing(marks=(EVIL[:20], "o"), players=(EVIL, EVIL), fills=True)

    def action_label(self, action):
        return f"{EVIL}{action}"


def test_a_games_own_words_run_no_script(opened):
    page = opened(explore(Hostile(), num_simulations=20))
    page.locator('[data-pop="knobs"]').click()
    page.locator("[data-next]").click()
    expect(part(page, "settings")).to_contain_text("seed 1")
    assert page.evaluate("window.hacked") is None
