"""A textbook implementation of Go on a dict of points, to compare the bit arithmetic with."""


def beside(point, size):
    """The two to four neighbors of a point."""
    row, col = point
    sides = ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1))
    return [(r, c) for r, c in sides if 0 <= r < size and 0 <= c < size]


def groups(cells, size):
    """[(owner, points, liberties)] of a board {(row, col): owner}."""
    seen, found = set(), []
    for start, owner in cells.items():
        if start in seen:
            continue
        points, liberties, waiting = {start}, set(), [start]
        while waiting:
            for near in beside(waiting.pop(), size):
                if near not in cells:
                    liberties.add(near)
                elif cells[near] == owner and near not in points:
                    points.add(near)
                    waiting.append(near)
        seen |= points
        found.append((owner, points, liberties))
    return found


def after_stone(cells, point, mover, size, suicide=False):
    """The board after a stone of ``mover``; None if the move is illegal.

    It is illegal on an occupied point, and where its group would have no liberty (unless suicide is
    allowed).
    """
    if point in cells:
        return None
    board = {**cells, point: mover}
    taken = {
        stone
        for owner, points, liberties in groups(board, size)
        if owner != mover and not liberties
        for stone in points
    }
    board = {stone: owner for stone, owner in board.items() if stone not in taken}
    _, own, liberties = next(group for group in groups(board, size) if point in group[1])
    if liberties:
        return board
    return {stone: board[stone] for stone in board if stone not in own} if suicide else None


def score(cells, size):
    """Points of owner 1 minus those of owner 2: stones, and regions that touch only one owner."""
    lead = sum(1 if owner == 1 else -1 for owner in cells.values())
    empty = {(r, c): 0 for r in range(size) for c in range(size) if (r, c) not in cells}
    for _, points, _ in groups(empty, size):
        owners = {cells[near] for p in points for near in beside(p, size) if near in cells}
        if len(owners) == 1:
            lead += len(points) if owners == {1} else -len(points)
    return lead


def cells_of(game, state):
    """The board of one of the package's games as such a dict."""
    return {divmod(i, game.cols): owner for i, owner in enumerate(game.cells(state)) if owner}
