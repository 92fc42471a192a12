"""Finds the effect of a move on the board, and the names of the cells.

A game's interface says little about a move: ``cell`` returns only the cell that it fills.
Comparing the boards before and after shows whether a piece moved from one cell to another.
"""

import re
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from azlearn.games.game import Game, State, drawing_of
from azlearn.games.notation import label

LETTERS = (
    ascii_lowercase, ascii_uppercase,
    ascii_uppercase.replace("I", ""), ascii_lowercase.replace("i", ""),
)  # fmt: skip


PLIES = 3  # the labels of the first moves show how cells are named


class Footprint(NamedTuple):
    """The effect of a move on the board.

    Attributes:
        origin: the cell that the mover's piece leaves; -1 if no piece moves from cell to cell.
        target: the cell that the piece moves to, or that the move fills; -1 if neither.
        is_seen: whether any cell changes.
    """

    origin: int = -1
    target: int = -1
    is_seen: bool = True


class Coordinates(NamedTuple):
    """The names of columns (from the left) and rows (from the top) shown beside a board."""

    cols: tuple[str, ...]
    rows: tuple[str, ...]

    def name(self, cell: int) -> str:
        """The name of the cell ``row * cols + col``, such as ``"b3"``."""
        row, col = divmod(cell, len(self.cols))
        return self.cols[col] + self.rows[row]


def footprint(
    game: Game,
    state: State,
    action: int,
    boards: tuple[list[int], list[int]] | None = None,
) -> Footprint:
    """The effect of a legal move on the board of a game that has ``cells`` and ``cell``.

    A piece moves from cell to cell if the mover loses exactly one cell and gains exactly one,
    regardless of captures. Otherwise ``cell`` returns the cell that the move fills. A game can
    override this with its own method ``footprint(state, action)``.

    Args:
        boards: the cells before and after the move, if already known.
    """
    if hasattr(game, "footprint"):
        return game.footprint(state, action)
    cell = game.cell(state, action)
    target = -1 if cell is None else cell
    if drawing_of(game).fills:
        return Footprint(target=target)
    before, after = boards or (game.cells(state), game.cells(game.next_state(state, action)))
    mine = game.to_play(state) + 1
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    left = [i for i in changed if before[i] == mine]
    come = [i for i in changed if after[i] == mine]
    if len(left) == len(come) == 1:
        return Footprint(left[0], come[0])
    return Footprint(target=target, is_seen=bool(changed))


def filled_cells(game: Game, state: State) -> list[int]:
    """The cell that each action fills, [num_actions]; -1 for none.

    ``cell`` may fail for an illegal action: an error or a cell outside the board counts as -1.
    """
    legal, found = game.legal_actions(state), []
    for action in range(game.num_actions):
        try:
            cell = game.cell(state, action)
        except Exception:
            if action in legal:
                raise
            cell = None
        if cell is None or not (action in legal or cell in range(game.rows * game.cols)):
            cell = -1
        found.append(int(cell))
    return found


def pass_among(game: Game, actions: list[int], footprints: list[Footprint]) -> int:
    """The legal action that passes; -1 if there is none.

    A pass leaves the board unchanged, and is either named "pass" or the only action that does so.
    """
    unseen = [a for a, step in zip(actions, footprints, strict=True) if not step.is_seen]
    called = [action for action in unseen if label(game, action).casefold() == "pass"]
    return (called or unseen)[0] if called or len(unseen) == 1 else -1


def coordinates_of(game: Game) -> Coordinates | None:
    """The names of rows and columns that match the game's moves, such as ``"c3"`` or ``"b2-b3"``.

    Columns have letters; rows have numbers, from the top if no label shows otherwise. Returns None
    if the game has no board, if stones fall into columns, or if cells have other names, such as 1
    to 9.
    """
    if hasattr(game, "coordinates"):
        return game.coordinates
    return found_coordinates(game)


def found_coordinates(game: Game) -> Coordinates | None:
    """Computes ``coordinates_of`` from the labels of the first moves."""
    if not hasattr(game, "cells") or drawing_of(game).falls:
        return None
    state, steps = game.initial_state(), []
    for _ in range(PLIES):
        legal = game.legal_actions(state)
        steps += [(label(game, a), footprint(game, state, a)) for a in legal]
        state = game.next_state(state, legal[len(legal) // 2]) if legal else state
    steps = [(_words(text), step) for text, step in steps if step.target >= 0]
    down = tuple(str(row + 1) for row in range(game.rows))
    tried = [
        Coordinates(tuple(letters[: game.cols]), rows)
        for letters in LETTERS
        for rows in (down, down[::-1])
        if len(letters) >= game.cols
    ]
    for is_by in (_is_by_origin, _is_by_target):
        for found in tried:
            if steps and all(is_by(found, *step) for step in steps):
                return found
    return tried[0] if tried and any(step.origin >= 0 for _, step in steps) else None


def _words(text: str) -> list[str]:
    return re.findall("[A-Za-z][0-9]+", text)


def _is_by_origin(beside: Coordinates, words: list[str], step: Footprint) -> bool:
    """Whether a label's words start with the cell that the piece leaves or the stone fills.

    If there are more words, they must contain the cell that the piece moves to.
    """
    first = beside.name(step.target if step.origin < 0 else step.origin)
    return words[:1] == [first] and (len(words) == 1 or beside.name(step.target) in words)


def _is_by_target(beside: Coordinates, words: list[str], step: Footprint) -> bool:
    return words == [beside.name(step.target)]


def cell_names(game: Game) -> list[str]:
    """The names of all cells, [rows * cols]; row and column if the game has no names for cells."""
    if coordinates := coordinates_of(game):
        return [coordinates.name(cell) for cell in range(game.rows * game.cols)]
    places = (divmod(cell, game.cols) for cell in range(game.rows * game.cols))
    names = [f"row {row + 1}, column {col + 1}" for row, col in places]
    if not drawing_of(game).falls:
        state = game.initial_state()
        for action in game.legal_actions(state):
            if (target := footprint(game, state, action).target) >= 0:
                names[target] = label(game, action)
    return names


def told(game: Game, state: State, action: int) -> str:
    """A legal move in words: its label, and a piece's origin and target if the label omits them."""
    text = label(game, action)
    if not hasattr(game, "cells") or (step := footprint(game, state, action)).origin < 0:
        return text
    if (beside := coordinates_of(game)) is None:
        return text
    way = [beside.name(step.origin), beside.name(step.target)]
    return text if _words(text)[:2] == way else f"{text} ({'–'.join(way)})"


def with_coordinates(game: Game, lines: list[str], joint: str = " ") -> str:
    """Adds coordinates to a board given as one line of text per row; ``joint`` separates cells."""
    if (found := coordinates_of(game)) is None:
        return "\n".join(lines)
    wide = max(map(len, found.rows))
    rows = [f"{name:>{wide}} {line}" for name, line in zip(found.rows, lines, strict=True)]
    return "\n".join([*rows, " " * (wide + 1) + joint.join(found.cols)])
