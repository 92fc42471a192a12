"""The whole search (9.6): by hand on the probe games; the rest is held to the package's search."""

from functools import cache

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import FOUR, KIND, THREE, Case, in_words, same, show
from azlearn.course.probe_games import P2, P3, P4, P5, P6
from azlearn.course.your_puct import GAME, NUM_SIMULATIONS, START, C, puct_consequence, stand_in
from azlearn.search import Node, Tree
from azlearn.search.evaluators import hash_value


def search(game, moves: str, num: int, c: float, kind: str, *right) -> Case:
    """``kind``: of the network."""
    worth = ", every leaf worth 0.25" if kind == "leaning" else ""
    words = f"{in_words(game, moves)} ({num} simulations, c = {c:g}{worth})"
    hand = dict(zip(("N at the root", "W at the root"), right, strict=True)) if right else None
    return Case(words, (game, moves, num, c, kind), hand)


NUM_DRAWN = 40
remark = puct_consequence
# "leaning" gives the first legal move 0.9 of the prior; at the root, turned over, the last has it.
CASES = [
    # 0 loses, 1 draws. Move 1: 0 + 0.9; then 1: 0 + 0.9 / 2 against 0.1, and 0.9 √2 / 3 = 0.424
    # against 0.1 √2 = 0.141, 0.9 √3 / 4 = 0.390 against 0.173: always move 1.
    search(P2, "", 4, 1.0, "leaning", [0, 4], [0, 0]),
    # The values on the only path: -0.25, +0.25, 0, 0.
    search(P4, "", 4, 1.0, "leaning", [4], [0]),
    # -0.25, then twice the lost end.
    search(P5, "", 3, 1.0, "leaning", [0, 0, 0, 0, 3, 0, 0], [0, 0, 0, 0, -2.25, 0, 0]),
    # Move 1 (0.9): -0.25. Then 0.1 against -0.25 + 0.45: move 1, the drawn end. Then 0.141 against
    # -0.125 + 0.424, and 0.173 against -0.083 + 0.390: the drawn end twice more.
    search(P6, "", 4, 1.0, "leaning", [0, 4], [0, -0.25]),
    search(THREE, "152", 60, 1.25, "jumbled"),
    search(THREE, "1527", 90, 2.5, "jumbled"),
    search(P6, "", 12, 4.0, "jumbled"),
    search(FOUR, "445333", 80, 1.25, "jumbled"),
    search(FOUR, "44", 40, 1.25, "even"),
]


def draw(rng):
    """Few simulations, at the end of a game too; c with many digits, so that scores are not equal."""
    game = (THREE, THREE, FOUR, P3, P6)[rng.integers(5)]
    moves = drawn_moves(rng, game)
    num, c = int(rng.integers(1, 30)), round(float(rng.uniform(0.3, 4)), 4)
    return search(game, moves, num, c, ("jumbled", "sharp", "even")[rng.integers(3)])


@cache
def network(kind: str, game, state) -> tuple[tuple[float, ...], float]:
    """A prior and a value that depend on the position's bits at the most."""
    legal, own = game.legal_actions(state), hash_value(*state)
    hashes = [1.5 + hash_value(*game.next_state(state, action)) for action in legal]
    others = [0.1 / max(1, len(legal) - 1)] * (len(legal) - 1)
    weights, value = {
        "leaning": ([0.9, *others], 0.25),
        "jumbled": (hashes, own),
        "sharp": ([float(x == max(hashes)) for x in hashes], own),
        "even": ([1.0] * len(legal), 0.0),
    }[kind]
    shares = dict(zip(legal, weights, strict=True))
    return tuple(shares.get(a, 0.0) / sum(weights) for a in range(game.num_actions)), value


def turned_over(prior: list[float], legal_actions: list[int]) -> list[float]:
    """Stands for the noise: the legal moves get each other's shares, the last the first's."""
    mixed = [0.0] * len(prior)
    for action, other in zip(legal_actions, reversed(legal_actions), strict=True):
        mixed[action] = prior[other]
    return mixed


def observe(puct_search, case):
    game, moves, num_simulations, c, kind = case.arguments
    state, asked, at_the_end, mixed = game.from_moves(moves), [], [], []

    def evaluate(game, state) -> tuple[list[float], float]:
        over = game.outcome(state) is not None
        (at_the_end if over else asked).append(state)
        prior, value = ([0.0] * game.num_actions, 0.5) if over else network(kind, game, state)
        return list(prior), value

    def mix(prior, legal_actions) -> list[float]:
        mixed.append((list(prior), list(legal_actions)))
        return turned_over(*mixed[-1])

    value = puct_search(game, state, num_simulations, c, evaluate, mix)
    root = getattr(value, "root", value)
    if not isinstance(root, Node):
        return {KIND: f"no node but {show(value):.80} ({type(value).__name__})"}
    legal, (prior, _) = game.legal_actions(state), network(kind, game, state)
    seen = {
        KIND: "the root" if root.state == state else "another node",
        "the network is asked about the root": state in asked,
        "the network is asked about a finished game": bool(at_the_end),
        "the network is asked twice about a node": len(asked) > num_going_on(root),
        "mix is called for another node": any(actions != mixed[0][1] for _, actions in mixed),
        "mix is called": ("never", "once", "more than once")[min(len(mixed), 2)],
        "mix is given the root's legal moves": not mixed or mixed[0][1] == legal,
        "mix is given the network's prior": not mixed or same(mixed[0][0], prior),
    }
    if list(seen.values()) != ["the root", True, False, False, False, "once", True, True]:
        return seen  # the visits of another search say nothing more
    return seen | {
        "N at the root": root.visit_counts,
        "W at the root": root.value_sum,
        "N of the whole tree, ply by ply": visits_by_ply([root]),
    }


def num_going_on(node: Node) -> int:
    below = sum(num_going_on(child) for child in node.children if child is not None)
    return below + (node.outcome is None)


def visits_by_ply(nodes: list[Node]) -> list[int]:
    """Down to the last ply with visits: a search may make all children of a node it expands."""
    total = sum(node.num_visits for node in nodes)
    below = [child for node in nodes for child in node.children if child is not None]
    return [total, *visits_by_ply(below)] if total else []


def explore(call, diagnosis):
    """The reader's search with the stand-in; the noise changes nothing there."""
    value = call.quietly(
        GAME, START, NUM_SIMULATIONS, C, stand_in, lambda prior, legal_actions: prior
    )
    root = getattr(value, "root", value)
    if not isinstance(root, Node):
        raise ValueError("it returned no node.")
    return Tree(GAME, root)
