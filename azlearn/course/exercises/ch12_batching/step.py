"""One step of many games (12.2). Each tree is that of a search of one game."""

from azlearn.course.drawing import drawn_moves
from azlearn.course.exercises.ch12_batching.ask_all import answer
from azlearn.course.kit import THREE, Case, Observation
from azlearn.search import MCTS, Evaluation, Node, puct


def at(moves: list[str], left: list[int]) -> Case:
    """``right``: what a search of each game alone makes of it."""
    states = map(THREE.from_moves, moves)
    alone = [make_search().run(state, n or 5).root for state, n in zip(states, left, strict=True)]
    words = f"roots after {moves}, with {left} simulations left"
    return Case(words, (moves, left), grown(alone))


def make_search() -> MCTS:
    return MCTS(THREE, puct(), lambda game, state, rng: Evaluation(*answer(game, state)))


def make_root(moves: str, simulations_left: int) -> Node:
    """An evaluated node; where no simulation is left, it has five behind it."""
    root = Node(THREE, THREE.from_moves(moves))
    root.prior, root.raw_value = answer(THREE, root.state)
    return root if simulations_left else make_search().run(root.state, 5).root


def below(node: Node) -> list[Node]:
    """The node and all below it."""
    return [node, *(one for child in node.children if child is not None for one in below(child))]


def statistics(root: Node) -> list[tuple[list, list]]:
    return [(list(node.visit_counts), list(map(float, node.value_sum))) for node in below(root)]


def grown(roots: list[Node]) -> Observation:
    seen: Observation = {}
    for i, root in enumerate(roots):
        (seen[f"N of root {i}"], seen[f"W of root {i}"]), *others = statistics(root)
        seen[f"N and W below root {i}"] = sorted(others)
    return seen


NUM_DRAWN = 60
# 3 wins for X; 8 and 9 are left, and it will be a draw. The search with 0 left is complete.
CASES = [
    at(["1425", "", "59", "1324657", "528"], [9, 6, 0, 7, 8]),
    at(["1324657"], [4]),
    at(["5", "19"], [0, 0]),
]


def draw(rng):
    """No game or more, the same one twice, near the end, with none left or all."""
    moves = [drawn_moves(rng, THREE) for _ in range(rng.integers(5))]
    moves += moves[:1] * rng.integers(2)
    return at(moves, (rng.integers(7, size=len(moves)) * rng.integers(2)).tolist())


def observe(step, case):
    """As many steps as the longest search needs, and one more; up to the first that goes wrong."""
    moves, left = case.arguments[0], list(case.arguments[1])
    search, roots, calls = make_search(), list(map(make_root, moves, left)), []

    def ask(states) -> list[tuple[list[float], float]]:
        calls.append(list(states))
        return [answer(THREE, state) for state in calls[-1]]

    for _ in range(max(left, default=0) + 1):
        before, trees, problem = list(left), list(map(statistics, roots)), None
        calls.clear()
        try:
            step(search, roots, left, ask)
        except Exception as raised:
            problem = raised
        done = [i for i, n in enumerate(before) if not n and statistics(roots[i]) != trees[i]]
        ends = {THREE.outcome(state) for states in calls for state in states} - {None}
        nodes = [node for root in roots for node in below(root) if node.outcome is None]
        looks = {
            "trees changed with no simulation left": done,
            "questions about finished games": sorted("won" if end else "drawn" for end in ends),
            "positions in each call, where a step has several": [*map(len, calls)][: 99 * len(calls[1:])],
            "calls about no position": ["one"] * calls.count([]),
            "nodes without a prior or a raw_value": [n.state for n in nodes if n.prior is None or n.raw_value is None],
            "a wrong `left` after a step": left if left != [max(n - 1, 0) for n in before] else [],
        }  # fmt: skip
        seen = {key: list(found) or "none" for key, found in looks.items()}
        if any(looks.values()):
            return seen
        if problem:
            raise problem
    return seen | grown(roots)
