"""Which nodes of a search a still picture shows, and where they stand."""

from dataclasses import dataclass, field

from azlearn.viz.fields import extent
from azlearn.viz.moment import Moment, finished
from azlearn.viz.replaying import Record

CARD = 50  # width of a node's card
ROOT_CARD = 76
GAP = 8
MAX_LEVELS = 9  # below the root
HEAD = 16  # the line above a card: move and visits
STRIP = 18  # the line inside a card, below the board: Q
FLAG = 14  # below the card of a finished game: who has won
LEVEL_GAP = 30


@dataclass
class Spot:
    """A drawn node; when ``node`` is -1 a stub for ``hidden`` children, or a folded ``run``."""

    node: int
    width: float
    height: float
    kids: list["Spot"] = field(default_factory=list)
    hidden: int = 0
    run: list[int] = field(default_factory=list)  # nodes of the marked path, drawn as one
    x: float = 0.0  # of the middle
    y: float = 0.0  # of the top
    dx: float = 0.0  # from the parent's middle


@dataclass
class Arrangement:
    """Where everything stands, and the numbers to write there."""

    root: Spot
    width: float
    height: float
    visit_counts: list[int]
    value_sum: list[float]
    principal: set[int]
    num_nodes: int

    def spots(self) -> list[Spot]:
        """All spots, parents before children."""
        found = [self.root]
        for spot in found:
            found.extend(spot.kids)
        return found


def arrange(
    record: Record,
    max_nodes: int = 40,
    max_width: float = 1000,
    now: Moment | None = None,
    max_levels: int | None = MAX_LEVELS,
) -> Arrangement:
    """The part of the tree that fits: the marked path, the root's moves, then the most visited.

    Siblings stand by visits, the most visited line left. Without a moment ``now`` it is the
    finished tree, which has no marked path. Nothing lies deeper than ``max_levels`` below the root
    (None for any depth): of a longer path the inner nodes are folded into one mark.

    Raises:
        ValueError: max_nodes is below 1.
    """
    if max_nodes < 1:
        raise ValueError(f"max_nodes must be at least 1, not {max_nodes}.")
    now = finished(record) if now is None else now
    count, there, path = now.going_by, now.there, set(now.path)
    action, parent = record["nodes"]["action"], record["nodes"]["parent"]
    kids: list[list[int]] = [[] for _ in count]
    for node in sorted(there - {0}):
        kids[parent[node]].append(node)
    for children in kids:
        children.sort(key=lambda node: (-count[node], action[node]))

    most = float("inf") if max_levels is None else max_levels
    folded = _foldable(now.path, most, max_nodes)
    level = {0: 0}

    def depth(node):  # as drawn: a fold takes one level
        if node not in level:
            up = parent[node]
            level[node] = depth(up) + (not (node in folded and up in folded))
        return level[node]

    def rank(node):  # the moves at the root first, then those that the path was chosen among
        return (parent[node] != 0, parent[node] not in path, -count[node], node)

    shown = set(now.path if folded else now.path[:max_nodes])
    max_nodes, misses = max_nodes + len(folded), 0
    waiting = [kid for node in shown for kid in kids[node] if kid not in shown]
    while waiting and len(shown) < max_nodes and misses < 10:
        waiting.sort(key=rank)
        node = waiting.pop(0)
        if depth(node) > most or parent[node] in folded:
            continue
        shown.add(node)
        if _place(_branch(record, 0, kids, shown, folded))[1] > max_width:
            shown.discard(node)
            misses += 1
        else:
            waiting.extend(kids[node])
    root = _branch(record, 0, kids, shown, folded)
    left, width = _place(root)
    height = _settle(root, -left)
    principal, node = set(), 0
    while kids[node] and count[kids[node][0]]:
        node = kids[node][0]
        principal.add(node)
    return Arrangement(root, width, height, now.visits, now.values, principal, len(count))


def board_height(record: Record, width: float) -> float:
    """Height of the board in a card of that width; a little room for the label without a board."""
    game = record["game"]
    if not game["rows"]:
        return 26.0
    inner = width - 8
    wide, high = extent(game)
    return min(inner, inner / wide * high)


def _foldable(path: list[int], max_levels: float, max_nodes: int) -> set[int]:
    """Inner nodes of a path that is too deep; the root, its move and the last two stay."""
    excess = len(path) - 1 - max_levels
    if excess <= 0:
        return set()
    stop = len(path) - 2
    folded = set(path[max(2, stop - int(excess) - 1) : stop])
    return folded if len(path) - len(folded) <= max_nodes else set()


def _branch(record, node: int, kids: list[list[int]], shown: set[int], folded: set[int]) -> Spot:
    width = CARD if node else ROOT_CARD
    flag = 0 if record["nodes"]["outcome"][node] is None else FLAG
    spot = Spot(node, width, HEAD + 4 + board_height(record, width) + STRIP + flag)
    for kid in kids[node]:
        if kid not in shown:
            continue
        run, below = [], kid
        while below in folded:  # each has one drawn child, the next of the path
            run.append(below)
            below = next(k for k in kids[below] if k in shown)
        branch = _branch(record, below, kids, shown, folded)
        spot.kids.append(Spot(-1, 76, 26, [branch], run=run) if run else branch)
    spot.hidden = len(kids[node]) - len(spot.kids)
    if spot.hidden and spot.kids:
        spot.kids.append(Spot(-1, 30, 22, hidden=spot.hidden))
    return spot


def _place(root: Spot) -> tuple[float, float]:
    """Tidy placement by contours; gives the left edge (the root's middle is 0) and the width."""

    def walk(spot: Spot) -> tuple[list[float], list[float]]:
        left, right = [], []
        for k, kid in enumerate(spot.kids):
            kid_left, kid_right = walk(kid)
            pairs = zip(right, kid_left, strict=False)
            kid.dx = max(end - start + GAP for end, start in pairs) if k else 0.0
            left += [x + kid.dx for x in kid_left[len(left) :]]
            right[: len(kid_right)] = [x + kid.dx for x in kid_right]
        middle = (spot.kids[0].dx + spot.kids[-1].dx) / 2 if spot.kids else 0.0
        for kid in spot.kids:
            kid.dx -= middle
        half = spot.width / 2
        return [-half, *(x - middle for x in left)], [half, *(x - middle for x in right)]

    left, right = walk(root)
    return min(left), max(right) - min(left)


def _settle(root: Spot, x: float) -> float:
    """Absolute positions from the offsets; gives the height of the whole."""
    level, top = [root], 0.0
    root.x = x
    while level:
        for spot in level:
            spot.y = top
            for kid in spot.kids:
                kid.x = spot.x + kid.dx
        top += max(spot.height for spot in level) + LEVEL_GAP
        level = [kid for spot in level for kid in spot.kids]
    return top - LEVEL_GAP
