"""Chooses the nodes of a search to draw in a still picture, and lays them out."""

from dataclasses import dataclass, field

from azlearn.viz.board_geometry import extent
from azlearn.viz.replaying import Record, choices_at, replay, victor_at, winner_at

CARD = 58  # width of a node's card
ROOT_CARD = 76
GAP = 8
MAX_LEVELS = 9  # below the root
HEAD = 16  # height of the line above a card: move and visits
STRIP = 17  # height of the line inside a card, below the board: Q
FLAG = 14  # height of the flag below a card: who has won, or is proven to win
LEVEL_GAP = 30


@dataclass
class Spot:
    """A drawn node, or, if ``node`` is -1, a stub for ``hidden`` children."""

    node: int
    width: float
    height: float
    kids: list["Spot"] = field(default_factory=list)
    hidden: int = 0
    x: float = 0.0  # of the middle
    y: float = 0.0  # of the top
    dx: float = 0.0  # from the parent's middle


@dataclass
class Arrangement:
    """The positions of all drawn nodes, and their statistics."""

    root: Spot
    width: float
    height: float
    visit_counts: list[int]
    value_sum: list[float]
    principal: set[int]

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
    max_levels: int | None = MAX_LEVELS,
) -> Arrangement:
    """Lays out the part of the finished tree that fits: the root's moves, then the most visited.

    Siblings are in the order of their moves. No node is deeper than ``max_levels`` below the root
    (None for any depth).

    Raises:
        ValueError: max_nodes is less than 1.
    """
    if max_nodes < 1:
        raise ValueError(f"max_nodes must be at least 1, not {max_nodes}.")
    count, value_sum = (column.tolist() for column in replay(record))
    action, parent = record["nodes"]["action"], record["nodes"]["parent"]
    kids: list[list[int]] = [[] for _ in count]
    for node in range(1, len(count)):
        if count[node]:
            kids[parent[node]].append(node)
    for children in kids:
        children.sort(key=action.__getitem__)

    most = float("inf") if max_levels is None else max_levels
    depth, shown, waiting, misses = {0: 0}, {0}, list(kids[0]), 0
    while waiting and len(shown) < max_nodes and misses < 10:
        waiting.sort(key=lambda node: (parent[node] != 0, -count[node], action[node]))
        node = waiting.pop(0)
        depth[node] = depth[parent[node]] + 1
        if depth[node] > most:
            continue
        shown.add(node)
        if _place(_branch(record, 0, kids, shown))[1] > max_width:
            shown.discard(node)
            misses += 1
        else:
            waiting.extend(kids[node])
    root = _branch(record, 0, kids, shown)
    left, width = _place(root)
    height = _settle(root, -left)
    principal, node = set(), 0
    # The moves that a player would play: ties go to the higher Q, then to the first move.
    while choices := choices_at(record, node, kids[node], value_sum):
        node = max(choices, key=lambda i: (count[i], value_sum[i] / count[i], -action[i]))
        principal.add(node)
    return Arrangement(root, width, height, count, value_sum, principal)


def board_height(record: Record, width: float) -> float:
    """The height of the board in a card of this width; without a board, space for the label."""
    game = record["game"]
    if not game["rows"]:
        return 26.0
    inner = width - 8
    wide, high = extent(game)
    return min(inner, inner / wide * high)


def _branch(record, node: int, kids: list[list[int]], shown: set[int]) -> Spot:
    width = CARD if node else ROOT_CARD
    has_flag = victor_at(record, node) is not None or winner_at(record, node) is not None
    flag = FLAG if has_flag else 0
    spot = Spot(node, width, HEAD + 4 + board_height(record, width) + STRIP + flag)
    spot.kids = [_branch(record, kid, kids, shown) for kid in kids[node] if kid in shown]
    spot.hidden = len(kids[node]) - len(spot.kids)
    if spot.hidden and spot.kids:
        spot.kids.append(Spot(-1, 30, 22, hidden=spot.hidden))
    return spot


def _place(root: Spot) -> tuple[float, float]:
    """Tidy placement by contours. Returns the left edge (the root's middle is 0) and the width."""

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
    """Computes absolute positions from the offsets. Returns the total height."""
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
