"""Keep the subtree (4.5): a node that is there already must be returned itself."""

from functools import cache

from azlearn.course.kit import FOUR, KIND
from azlearn.course.small_trees import GAMES, TreeCase, columns, drawn_tree, held
from azlearn.games import State
from azlearn.search import MCTS, Node, Recorder, Tree, random_rollout, uct

BEFORE = "44"
EDGES = {
    "": {2: (9, 3), 4: (5, -1), 5: (1, -1)},
    "3": {4: (5, -3), 2: (2, 0), 3: (1, 1)},
    "35": {3: (3, 2), 1: (1, 0)},
    "354": {6: (1, 1), 0: (1, -1)},
    "5": {2: (2, 1), 4: (2, 1)},
    "53": {3: (1, 0)},
}
NUM_DRAWN = 80
CASES = [
    TreeCase(f"the tree after 44, {words}", FOUR, BEFORE, EDGES, moves, {"what comes back": "a node", "position": position, "the node": node})
    for words, moves, position, node in (
        ("with 3 and 5 played since", [2, 4], "after 4435", "the tree's own"),
        ("with 3 and 7 played since: the reply was never searched", [2, 6], "after 4437", "a new one"),
        ("with 7 and 4 played since: your own move was never searched", [6, 3], "after 4474", "a new one"),
        ("with 3 and 4 played since: the node there has no visits yet", [2, 3], "after 4434", "the tree's own"),
        ("with no move played since", [], "after 44", "the tree's own"),
    )
]  # fmt: skip


def draw(rng):
    case, moves = drawn_tree(rng, games=GAMES[:2]), []
    node = case.root()
    for _ in range(rng.integers(4)):
        if not node.legal_actions:
            break
        tried = [action for action in node.legal_actions if node.visit_counts[action]]
        moves.append(int(rng.choice(tried if tried and rng.random() < 0.8 else node.legal_actions)))
        after = case.game.next_state(node.state, moves[-1])
        node = node.children[moves[-1]] or Node(case.game, after)
    return case._replace(words=f"{case.words}, moves = {moves}", given=moves)


def observe(reuse, case):
    root, above = case.root(), []
    own = root
    for action in case.given:
        above.append(own)
        own = own and own.children[action]
    kept, before = held(own) if own else None, [held(node)[0] for node in above if node]
    node = reuse(case.game, root, list(case.given))
    if not isinstance(node, Node):
        return {KIND: None if node is None else f"no node ({type(node).__name__})"}
    (n, w), *below = held(node)
    edges = [edge for counts, sums in below for edge in zip(counts, sums, strict=True) if any(edge)]
    whose = "the tree's own" if node is own else "a new one"
    if node is not own and kept and [n, w] == kept[0] and any(n):
        whose = "a copy" if below else "a copy without its children"
    return {
        KIND: "a node",
        "position": named_by_moves(case, node.state),
        "the node": whose,
        "N": n,
        "W": w,
        "the number of nodes below": len(below),
        "(N, W) of the edges below": edges,
        "whether N or W above were changed": [held(node)[0] for node in above if node] != before,
    }


def named_by_moves(case: TreeCase, state: State) -> str:
    """ "after 4435": a position by the moves that lead to it."""
    moves = near(case.game, case.before).get(state)
    if state == case.game.from_moves(case.before + columns(case.given)):
        moves = columns(case.given)
    return "none that follows from the root" if moves is None else f"after {case.before}{moves}"


@cache
def near(game, before: str) -> dict[State, str]:
    """Every position up to three moves on, with the fewest moves that lead to it."""
    found = {game.from_moves(before): ""}
    for _ in range(3):
        for state, moves in list(found.items()):
            for action in game.legal_actions(state):
                found.setdefault(game.next_state(state, action), f"{moves}{action + 1}")
    return found


SEARCHES = 200


def searched() -> tuple[Node, list[int]]:
    """A search of 200 simulations after 44, and the two moves that it expects."""
    tree = search_from(BEFORE, 0)
    return tree.root, tree.principal_variation()[:2]


def search_from(moves: str, seed: int, recorder: Recorder | None = None, **tree: Tree) -> Tree:
    search = MCTS(FOUR, uct(1.0), random_rollout(), recorder=recorder)
    return search.run(FOUR.from_moves(moves), SEARCHES, seed, **tree)


def explore(call, diagnosis):
    """The search goes on below the expected moves, in what the reader's function keeps."""
    root, moves = searched()
    kept = call.quietly(FOUR, root, list(moves))  # a reader's may empty the list
    recorder = Recorder()
    search_from(BEFORE + columns(moves), 1, recorder, tree=Tree(FOUR, kept))
    return recorder.recording()


def remark(found):
    root, moves = searched()
    right = root.children[moves[0]].children[moves[1]].num_visits
    visits = found.tree.root.num_visits - SEARCHES
    if visits == right:
        return None
    return (
        f"\n\nIn the search below, {visits} visits were there before its first simulation; with the "
        f"subtree kept there are {right}."
    )
