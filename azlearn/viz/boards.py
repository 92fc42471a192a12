"""Pictures of boards, whose stones differ in shape as well as in color."""

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from azlearn.games import Game, State
from azlearn.games.footprints import Coordinates, coordinates_of, footprint
from azlearn.games.game import drawing_of
from azlearn.games.notation import label
from azlearn.viz import colors
from azlearn.viz.board_geometry import extent, spot
from azlearn.viz.game_results import margin, owners
from azlearn.viz.picture import Picture
from azlearn.viz.sheet import THEME, Sheet
from azlearn.viz.themes import light, themed

CELL = 38


def marks(game: Game) -> tuple[str, str]:
    """The marks of the two players in text, such as ● and ■."""
    return drawing_of(game).marks


def drops(game: Game) -> bool:
    """Whether each action is a column that a stone drops into."""
    return drawing_of(game).falls


def highlights(game: Game, state: State) -> list[int]:
    """The cells of the winning line; [] if there is none or the game has no ``highlights``."""
    find = getattr(game, "highlights", None)
    return find(state) if find else []


def board_svg(
    game: Game,
    state: State,
    *,
    heat: Sequence[float] | None = None,
    last: int | None = None,
    alt: str | None = None,
) -> str:
    """A position as SVG text.

    Args:
        game: the rules, with ``cells`` and ``cell``. Its ``highlights`` and ``action_label`` are
            used if it has them.
        state: the position.
        heat: [num_actions], a share in [0, 1] for each move (a policy). It is drawn where the move
            lands; the shares of moves that land on the same cell are added.
        last: the action that led here; its stone, if it placed one, is ringed.
        alt: alternative text; None for a description of the position.

    Raises:
        ValueError: heat has the wrong length, or the game has no board.
    """
    return light(_draw(game, state, heat, last, alt))


def _draw(game: Game, state: State, heat: Sequence[float] | None, last, alt: str | None) -> str:
    """Draws ``board_svg`` in the colors of both themes."""
    if not hasattr(game, "cells"):
        raise ValueError(f"{game.name} has no `cells`, so there is no board to draw.")
    cells, look = game.cells(state), {"rows": game.rows, "cols": game.cols}
    look["drawing"] = drawing_of(game)._asdict()
    top, beside = 20 if drops(game) else 2, coordinates_of(game)
    left = bottom = 18 if beside else 2  # space for coordinates
    wide, high = extent(look, CELL)
    sheet = Sheet(round(wide) + left + 2, round(high) + top + bottom)
    ground = THEME["wood" if look["drawing"]["field"] == "crossings" else "bg"]
    sheet.box(0, 0, sheet.width, sheet.height, 6, ground)
    shown = None if last is None else _cell_of(game, cells, last)
    sheet.board(
        look, cells, left, top, CELL,
        -1 if shown is None else shown, highlights(game, state), owners(game, state),
    )  # fmt: skip
    if drops(game):
        for c in range(game.cols):
            sheet.text(2 + (c + 0.5) * CELL, 14, label(game, c), 12, THEME["mute"])
    center = [(left + x, top + y) for x, y in (spot(look, i, CELL) for i in range(len(cells)))]
    if beside:
        _coordinates(sheet, look, beside, center)
    if heat is not None:
        sheet.front += _heat(game, state, heat, center)
    title = html.escape(alt or describe(game, state))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
        f' viewBox="0 0 {sheet.width} {sheet.height}" width="{sheet.width}" height="{sheet.height}"'
        ' font-family="DejaVu Sans, system-ui, sans-serif">'
        f"<title>{title}</title>{sheet.svg()}</svg>"
    )


def show_board(
    game: Game,
    state: State,
    *,
    heat: Sequence[float] | None = None,
    last: int | None = None,
    alt: str | None = None,
    caption: str = "",
) -> Picture:
    """Shows a position in a notebook, with alternative text and in the page's theme.

    The arguments are those of ``board_svg``; ``caption`` is printed below.
    """
    alt = alt or describe(game, state)
    svg = themed(_draw(game, state, heat, last, alt))
    return Picture(alt, svg=svg, caption=caption)


def describe(game: Game, state: State) -> str:
    """Describes a position for readers who cannot see it: its rows and the player to move."""
    players = drawing_of(game).players
    letters = f".{players[0][0]}{players[1][0]}+"
    cells = [letters[who] for who in game.cells(state)]
    rows = [" ".join(cells[i : i + game.cols]) for i in range(0, len(cells), game.cols)]
    outcome, mover = game.outcome(state), game.to_play(state)
    if outcome is None:
        status = f"{players[mover]} to move"
    elif outcome == 0:
        status = "a draw"
    else:
        status = f"{players[mover if outcome > 0 else 1 - mover]} has won{margin(game, state)}"
    name = game.name.replace("_", " ")
    return f"Board of {name}, {status}. Rows from the top: {'; '.join(rows)}."


def _coordinates(sheet: Sheet, look: dict[str, Any], beside: Coordinates, center: list) -> None:
    """Writes column names below the last row, and each row's name left of its first cell."""
    field, rows, cols = look["drawing"]["field"], look["rows"], look["cols"]
    ink, away = THEME["grain" if field == "crossings" else "mute"], 3 * (field == "hexagons")
    below = CELL / (math.sqrt(3) if field == "hexagons" else 2) + 11 + away
    for (x, y), name in zip(center[(rows - 1) * cols :], beside.cols, strict=True):
        sheet.text(x, y + below, name, 11, ink)
    for (x, y), name in zip(center[::cols], beside.rows, strict=True):
        sheet.text(x - CELL / 2 - 7 - away, y + 4, name, 11, ink)


def _heat(game: Game, state: State, heat: Sequence[float], center: list) -> list[str]:
    shares = np.asarray(heat, dtype=float)
    if shares.shape != (game.num_actions,):
        raise ValueError(f"heat must have shape ({game.num_actions},), not {shares.shape}.")
    on: dict[int, float] = {}
    for action in game.legal_actions(state):
        cell = footprint(game, state, action).target
        on[cell] = on.get(cell, 0.0) + max(0.0, float(shares[action]))
    on.pop(-1, None)  # moves that do not end on a cell
    out, highest = [], max([*on.values(), 1e-9])
    none = THEME["wood" if drawing_of(game).field == "crossings" else "hole"]
    for cell, share in on.items():
        x, y = center[cell]
        fill = colors.mix_pair(none, THEME["pi"], share / highest)
        out.append(f'<circle cx="{x}" cy="{y}" r="{CELL * 0.42:.1f}" fill="{fill}"/>')
        out.append(
            f'<text x="{x}" y="{y + 4}" font-size="11" text-anchor="middle"'
            f' fill="{colors.ink_pair(fill)}">{100 * share:.0f}%</text>'
        )
    return out


def _cell_of(game: Game, cells: list[int], action: int) -> int | None:
    """The cell of a move that was just played: the top stone of its column if stones fall, else the
    move's own cell. None if the move filled no cell (a pass). Also None in games where pieces
    move, because the cell then depends on the player."""
    if not drops(game):
        start = game.initial_state()
        steps = (footprint(game, start, legal) for legal in game.legal_actions(start))
        return None if any(step.origin >= 0 for step in steps) else game.cell(start, action)
    column = range(action, len(cells), game.cols)
    stones = [i for i in column if cells[i]]
    if not stones:
        raise ValueError(f"No stone lies in column {label(game, action)}.")
    return stones[0]
