"""Stop when decided (4.6). The answers are worked out by hand."""

from azlearn.course.kit import CHANGED, KIND, Raised, as_list, attempt
from azlearn.course.small_trees import drawn_node, held, node_case, three_moves

CASES = [
    node_case(*three_moves(visits, sums), left, f"{left} simulations left", {KIND: "a truth value", "": decided})
    for visits, sums, left, decided in (
        ((60, 20, 10), (6, 2, 1), 39, True),  # 20 + 39 < 60
        ((60, 20, 10), (6, 2, 1), 40, False),  # 20 + 40 = 60: equal visits, and Q decides
        ((60, 20, 10), (6, 2, 1), 41, False),
        ((10, 60, 20), (1, 6, 2), 39, True),  # the runner-up stands behind
        ((10, 60, 20), (1, 6, 2), 45, False),
        ((20, 60, 10), (2, 6, 1), 39, True),  # and before
        ((60, 30, 30), (6, 3, 3), 29, True),  # one of the others can win them all, not both
        ((60, 30, 30), (6, 3, 3), 31, False),
        ((50, 49, 1), (-5, 9, 0), 0, True),  # nothing is left
        ((50, 50, 0), (5, 9, 0), 0, True),  # not even where the visits are equal
        ((40, 0, 0), (4, 0, 0), 39, True),
        ((30, 30, 5), (6, -3, 1), 10, False),  # two lead: one of them is the runner-up
        ((30, 25, 20), (15, -9, -9), 10, False),  # a much better mean changes nothing
        ((55, 25, 20), (9, 1, 1), 100, False),  # more than half so far is not enough
    )
]  # fmt: skip


def draw(rng):
    """Near the edge, where one simulation more or less decides."""
    node = drawn_node(rng, int(rng.choice([2, 20, 60])))
    *_, second, first = sorted([0, 0, *(n for n, _ in node[2].values())])
    left = max(0, int(rng.choice([0, first - second + rng.integers(-1, 2), rng.integers(60)])))
    return node_case(*node, left, f"{left} simulations left")


def observe(decided, case):
    node = case.root()
    if len(node.legal_actions) == 1:
        value = attempt(decided, node, case.given)
        return {"with one legal move": value if isinstance(value, Raised) else truth(value)}
    value = decided(node, case.given)
    if as_list(value) is not None or isinstance(value, str):
        return {KIND: f"no truth value ({type(value).__name__})"}
    changed = held(node) != held(case.root())
    return {KIND: "a truth value", "": truth(value), CHANGED: changed}


def truth(value) -> bool | None:
    return None if value is None else bool(value)
