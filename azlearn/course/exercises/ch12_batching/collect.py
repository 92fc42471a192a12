"""Virtual loss, on and off (12.5). What each descent finds on the edges is written out by hand."""

import numpy as np

from azlearn.course.kit import THREE, Case, as_list, show, signed
from azlearn.search import Node

ROOT = "59"
# An edge is written as the moves from the root that end with it, a path as its last edge.
TREE = {"1": (4, 1.0), "2": (2, 0.5), "15": (1, -0.5), "16": (0, 0.0)}  # N and W
DEEP = {"3": (0, 0.0), "34": (0, 0.0), "346": (2, -2.0), "347": (5, 4.5), "3478": (3, 0.0)}


def at(virtual_loss: int, paths: list[str], *found) -> Case:
    """``found``: N and W of the four edges of ``TREE`` at each descent; afterwards as at first."""
    right, last = {"the paths": show(paths)}, len(found)
    for number, (n, w) in enumerate((*found, *found[:1])):
        when = "afterwards" if number == last else moment(number)
        right |= {f"N {when}": n, f"W {when}": signed(w)}
    tree = TREE if set(paths) <= set(TREE) else TREE | DEEP
    words = (
        f"edges {show(list(tree))} (15: after move 1, move 5), descents to {show(paths)},"
        f" virtual loss {virtual_loss}"
    )
    return Case(words, (tree, virtual_loss, paths), right if found else None)


def moment(number: int) -> str:
    return f"at descent {number + 1}"


BEFORE = ([4, 2, 1, 0], [1.0, 0.5, -0.5, 0.0])
CASES = [
    at(3, ["15", "2", "16"], BEFORE, ([7, 2, 4, 0], [-2.0, 0.5, -3.5, 0.0]), ([7, 5, 4, 0], [-2.0, -2.5, -3.5, 0.0])),
    at(1, ["15", "15", "2"], BEFORE, ([5, 2, 2, 0], [0.0, 0.5, -1.5, 0.0]), ([6, 2, 3, 0], [-1.0, 0.5, -2.5, 0.0])),
    at(2, ["16", "15", "16", "2"], BEFORE, ([6, 2, 1, 2], [-1.0, 0.5, -0.5, -2.0]), ([8, 2, 3, 2], [-3.0, 0.5, -2.5, -2.0]), ([10, 2, 3, 4], [-5.0, 0.5, -2.5, -4.0])),
    at(3, ["2"], BEFORE),
]  # fmt: skip


def draw(rng):
    """One path or many, equal ones, one that ends on another, up to four edges long."""
    ends = rng.choice(list(TREE | DEEP), size=rng.integers(1, 7))
    return at(int(rng.integers(1, 6)), ends.tolist())


def observe(collect, case):
    tree, virtual_loss, paths = case.arguments
    nodes = {moves[:-1]: Node(THREE, THREE.from_moves(ROOT + moves[:-1])) for moves in tree}
    edges = {moves: (nodes[moves[:-1]], int(moves[-1]) - 1) for moves in tree}
    for moves, (node, action) in edges.items():
        node.children[action] = nodes.get(moves)
        node.visit_counts[action], node.value_sum[action] = tree[moves]
    scripted = [[edges[end[:i]] for i in range(1, len(end) + 1)] for end in paths]
    seen, starts = {"descents from the root": 0, "the paths": None}, []

    def look(when: str) -> None:
        seen[f"N {when}"] = [node.visit_counts[action] for node, action in edges.values()]
        w = [float(node.value_sum[action]) for node, action in edges.values()]
        seen[f"W {when}"] = signed(np.round(w, 9).tolist())

    def descend(root: Node) -> list:
        if len(starts) > 3 * len(paths):
            raise RuntimeError(f"`descend` was called {len(starts)} times, for {len(paths)} leaves")
        look(moment(len(starts)))
        starts.append(root)
        return list(scripted[(len(starts) - 1) % len(paths)])

    value = collect(nodes[""], descend, len(paths), virtual_loss)
    look("afterwards")
    listed = [as_list(path) or [] for path in as_list(value) or []]
    found = [[as_list(edge) for edge in path] for path in listed]
    is_same = found == [[[*edge] for edge in path] for path in scripted]
    seen["descents from the root"] = sum(start is nodes[""] for start in starts)
    return seen | {"the paths": show(paths) if is_same else f"{show(value):.80}"}
