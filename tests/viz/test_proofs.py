"""A search that proves, in the explorer: what is decided is marked once a simulation decides it."""

import json

import pytest

from azlearn.games import ConnectFour, DotsAndBoxes, TicTacToe
from azlearn.search import MCTSSolver, Recorder, Recording, constant, puct, random_rollout, uct
from azlearn.viz import Explorer, explore, explore_tree
from azlearn.viz.record import check, remark
from azlearn.viz.replaying import winner_at
from azlearn.viz.tree_layout import arrange
from tests.test_search_proofs import minimax
from tests.viz.page import at, drawn, part

FOUR, THREE, BOXES = ConnectFour(), TicTacToe(), DotsAndBoxes(2, 2)
TRAP = FOUR.from_moves("47744542714477152157551233")  # chapter 04: 1 wins, all else loses
MOVER = [  # (game, position, rule): some decided, some not; in the last a player moves twice
    (THREE, THREE.from_moves("15"), uct(1.0)),
    (THREE, THREE.from_moves("152"), puct(1.5)),
    (FOUR, FOUR.from_moves("41424"), uct(1.0)),
    (BOXES, BOXES.initial_state(), puct(1.5)),
]


def searched(game, state, rule=None, simulations=60, seed=3):
    recorder = Recorder()
    search = MCTSSolver(game, rule or uct(1.0), random_rollout(), recorder=recorder)
    search.run(state, simulations, seed)
    return recorder.recording()


def test_the_record_says_what_is_proven_and_by_which_step():
    """Shorter searches with the same seed are the truth about when, minimax about what."""
    game, state, rule = MOVER[0]
    recording = searched(game, state, rule, 120)
    record = recording.to_dict()
    proven = {int(i): known for i, known in record["nodes"]["proven"].items()}
    assert proven
    check(record)
    for i, (value, row) in proven.items():
        assert value == minimax(game, recording.nodes[i].state)
        before = searched(game, state, rule, row) if row else None
        after = searched(game, state, rule, row + 1)
        assert after.nodes[i].proven == value
        assert before is None or i >= len(before.nodes) or before.nodes[i].proven is None
    finished = {i for i, node in enumerate(recording.nodes) if node.outcome is not None}
    assert finished
    assert not finished & set(proven)


def test_a_tree_from_before_brings_its_proofs():
    tree = MCTSSolver(THREE, uct(1.0), constant()).run(THREE.from_moves("152"), 200)
    proven = Recording.of_tree(tree).to_dict()["nodes"]["proven"]
    assert proven["0"] == [tree.root.proven, -1]
    recorder, kept = Recorder(), tree.advance(tree.best_action())
    search = MCTSSolver(THREE, uct(1.0), constant(), recorder=recorder)
    search.run(kept.root.state, 5, tree=kept)
    assert Recording.of_tree(kept).to_dict()["nodes"]["proven"]["0"] == [kept.root.proven, -1]
    assert searched(THREE, THREE.initial_state(), simulations=3).to_dict()["nodes"]["proven"] == {}
    plain = explore(THREE, num_simulations=20)
    assert plain.record["nodes"]["proven"] is None


# What the viewer makes of a record: the starred move, and rows in which it would have taken another
# move than the search.
LOOK = """text => {
  const record = JSON.parse(text), replay = new Replay(record), odd = [];
  for (let row = 0; row < replay.rows; row++) {
    replay.seek(row);
    const path = replay.path(record.steps.leaf[row]);
    path.slice(0, -1).forEach((i, k) => {
      const { won, second } = verdict(replay, row, path, k);
      const better = second && second.score > won.score + 1e-9;
      if (won.known !== null || better) odd.push([row, k]);
    });
  }
  replay.seek(replay.rows);
  return { star: replay.action[replay.favorite(0)] ?? -1, odd };
}"""


@pytest.mark.parametrize(("game", "state", "rule"), MOVER)
def test_the_viewer_chooses_and_plays_what_the_search_does(in_browser, game, state, rule):
    for simulations in (12, 60, 150):
        recording = searched(game, state, rule, simulations)
        record, tree = recording.to_dict(), recording.tree
        found = in_browser(LOOK, json.dumps(record))
        assert found["odd"] == []
        visited = [a for a, n in enumerate(tree.root.visit_counts) if n]
        if tree.best_action() in visited:  # else what was tried loses, and the star is nowhere
            assert found["star"] == tree.best_action()
            firsts = [i for i in arrange(record).principal if record["nodes"]["parent"][i] == 0]
            assert [record["nodes"]["action"][i] for i in firsts] == [tree.best_action()]


@pytest.fixture(scope="module")
def trap():
    return explore(FOUR, TRAP, num_simulations=5000, use_solver=True)


def test_the_trap_of_chapter_04_is_proven(trap):
    """UCT needs about 20,000 simulations to leave it."""
    root = trap.recording.tree.root
    assert root.proven == 1
    assert trap.recording.tree.best_action() == 0
    assert root.num_visits < 5000
    assert "Proven: Red wins." in trap.describe()
    assert remark(trap.record) == (
        f"This search ended after {root.num_visits:,} of 5,000 simulations: its root is proven."
    )
    assert winner_at(trap.record, 0) == 0
    assert ">wins</text>" in trap.to_svg()
    assert "★ −1.00" in trap.to_svg(), "the best answer to a proven win is starred, too"


def test_marks_and_words_follow_the_simulations(trap, opened):
    nodes, rows = trap.record["nodes"], len(trap.record["steps"]["leaf"])
    moves = {nodes["action"][i]: str(i) for i, up in enumerate(nodes["parent"]) if up == 0}
    page = opened(at(trap, rows, "backup"))
    assert [drawn(page)[i]["end"] for i in ("0", moves[0], moves[1])] == ["wins"] * 3
    assert "Now proven: Red wins." in " ".join(part(page, "say").inner_text().split())
    page.locator('[data-part="tree"]').focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert [drawn(page)[i]["end"] for i in ("0", moves[1])] == ["", "wins"]
    scores = page.locator(".azl-sc").all_inner_texts()
    assert scores.count("loses") == 3  # the search has 1 and 3 to choose from
    early = opened(at(trap, nodes["proven"][moves[1]][1], "backup"))
    assert drawn(early)[moves[1]]["end"] == ""


def test_a_mark_is_explained_and_only_where_there_are_any(trap, opened):
    page = opened(at(trap, 5, "backup"))
    page.get_by_role("button", name="Legend and keyboard").click()
    assert "proven: who wins, if both play their best" in part(page, "key").inner_text()
    plain = opened(explore(THREE, num_simulations=10))
    plain.get_by_role("button", name="Legend and keyboard").click()
    assert "proven" not in part(plain, "key").inner_text()
    page = opened(Explorer(trap.recording, selected=1))  # a node by itself says how it ends
    assert "proven: " in part(page, "panel").inner_text()
    assert drawn(opened(explore_tree(trap.recording.tree)))["0"]["end"] == "wins"
