"""Boards as pictures: stones that differ in shape as well as in colour."""

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from azlearn.games import Drawing, Game, State
from azlearn.games.footprints import Coordinates, coordinates_of, footprint
from azlearn.games.game import drawing_of
from azlearn.games.notation import label
from azlearn.viz import colors
from azlearn.viz.endings import margin, owners
from azlearn.viz.fields import corners, dots_part, extent, spot, stars
from azlearn.viz.picture import Picture, light, themed

CELL = 38
THEME = colors.PAIRS
STONES = {name: 2 * color for name, color in colors.STONES.items()}


def crosses(look: Drawing | dict[str, Any]) -> bool:
    """Whether a game, or the record of one, is drawn with crosses and rings instead of stones."""
    return (look if isinstance(look, dict) else look._asdict())["marks"][0] == "✕"


def marks(game: Game) -> tuple[str, str]:
    """How the two players are written, such as ● and ■."""
    return drawing_of(game).marks


def drops(game: Game) -> bool:
    """Whether an action is a column that a stone drops into."""
    return drawing_of(game).falls


def highlights(game: Game, state: State) -> list[int]:
    """The cells of the line that won; [] if there is none or the game does not say."""
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
        heat: [num_actions], a share of each move in [0, 1] (a policy): shown where the move lands,
            the sum of those that land together.
        last: the action that led here; its stone is ringed, if it was placed.
        alt: alternative text; None for a description of the position.

    Raises:
        ValueError: heat has the wrong length, or the game has no board.
    """
    return light(_draw(game, state, heat, last, alt))


def _draw(game: Game, state: State, heat: Sequence[float] | None, last, alt: str | None) -> str:
    """``board_svg`` in the colours of both themes."""
    if not hasattr(game, "cells"):
        raise ValueError(f"{game.name} has no `cells`, so there is no board to draw.")
    cells, look = game.cells(state), {"rows": game.rows, "cols": game.cols}
    look["drawing"] = drawing_of(game)._asdict()
    top, crossings = 20 if drops(game) else 2, look["drawing"]["field"] == "crossings"
    beside = coordinates_of(game)
    left = bottom = 18 if beside else 2  # where coordinates stand
    width, height = extent(look, CELL)
    width, height = round(width) + left + 2, round(height) + top + bottom
    centre = [(left + x, top + y) for x, y in (spot(look, i, CELL) for i in range(len(cells)))]
    ground = THEME["wood" if crossings else "bg"]
    out = [f'<rect width="{width}" height="{height}" rx="6" fill="{ground}"/>']
    out += _field(look, cells, centre, top)
    if drops(game):
        out += [
            f'<text x="{2 + (c + 0.5) * CELL}" y="14" font-size="12" fill="{THEME["mute"]}"'
            f' text-anchor="middle">{html.escape(label(game, c))}</text>'
            for c in range(game.cols)
        ]
    owner = owners(game, state)
    for i, who in enumerate(cells):
        if who in (1, 2):
            out.append(_stone(look["drawing"], who, *centre[i]))
        elif owner and owner[i] != "0":
            out.append(_owned(owner[i], *centre[i]))
    if beside:
        out += _coordinates(look, beside, centre)
    if heat is not None:
        out += _heat(game, state, heat, centre)
    if last is not None:
        at = _cell_of(game, cells, last)
        if at is not None and look["drawing"]["field"] == "dots":
            out.append(_dots_cell(look, at, 1, *centre[at], THEME["path"]))
        elif at is not None and crossings:
            ink = STONES["on-first" if cells[at] == 1 else "on-second"]
            line = f'fill="none" stroke="{ink}" stroke-width="3"'
            out.append(f'<circle cx="{centre[at][0]}" cy="{centre[at][1]}" r="8.5" {line}/>')
        elif at is not None:
            out.append(_ring(*centre[at], THEME["fg"]))
    out += [_ring(*centre[i], THEME["path"]) for i in highlights(game, state)]
    title = html.escape(alt or describe(game, state))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" font-family="DejaVu Sans, system-ui, sans-serif">'
        f"<title>{title}</title>{''.join(out)}</svg>"
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
    """``board_svg`` as something a notebook displays, with its alternative text; it follows the
    page's theme."""
    alt = alt or describe(game, state)
    svg = themed(_draw(game, state, heat, last, alt))
    return Picture(alt, svg=svg, caption=caption)


def describe(game: Game, state: State) -> str:
    """A position in words, for readers who cannot see it: its rows and who is to move."""
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


def _field(look: dict[str, Any], cells: list[int], centre: list, top: float) -> list[str]:
    """What lies below the stones."""
    field, rows, cols = look["drawing"]["field"], look["rows"], look["cols"]
    if field == "squares":
        left = round(centre[0][0] - CELL / 2)
        lines = [f"M{left + c * CELL} {top}v{rows * CELL}" for c in range(1, cols)]
        lines += [f"M{left} {top + r * CELL}h{cols * CELL}" for r in range(1, rows)]
        if not crosses(look["drawing"]):
            lines.append(f"M{left} {top}h{cols * CELL}v{rows * CELL}h{-cols * CELL}Z")
        line = f'fill="none" stroke="{THEME["line"]}" stroke-width="2"'
        return [f'<path d="{"".join(lines)}" {line}/>']
    if field == "hexagons":
        return _hexagons(look, centre)
    if field == "crossings":
        (x, y), wide, high = centre[0], (cols - 1) * CELL, (rows - 1) * CELL
        lines = [f"M{x + c * CELL} {y}v{high}" for c in range(cols)]
        lines += [f"M{x} {y + r * CELL}h{wide}" for r in range(rows)]
        line = f'fill="none" stroke="{THEME["grain"]}" stroke-width="1" stroke-linecap="square"'
        return [f'<path d="{"".join(lines)}" {line}/>'] + [
            f'<circle cx="{centre[i][0]}" cy="{centre[i][1]}" r="3.2" fill="{THEME["grain"]}"/>'
            for i in stars(look)
        ]
    if field == "dots":
        parts = sorted(range(len(cells)), key=lambda i: dots_part(look, i) == "dot")  # on top
        return [_dots_cell(look, i, cells[i], *centre[i]) for i in parts]
    hole = f'r="{CELL * 0.4:.1f}" fill="{THEME["hole"]}"'
    return [
        f'<circle cx="{x}" cy="{y}" {hole}/>'
        for (x, y), who in zip(centre, cells, strict=True)
        if not who
    ]


def _coordinates(look: dict[str, Any], beside: Coordinates, centre: list) -> list[str]:
    """The columns' names below the last row, the rows' on the left of their first cells."""
    field, rows, cols = look["drawing"]["field"], look["rows"], look["cols"]
    ink, away = THEME["grain" if field == "crossings" else "mute"], 3 * (field == "hexagons")
    at = f'font-size="11" fill="{ink}" text-anchor="middle"'
    below = CELL / (math.sqrt(3) if field == "hexagons" else 2) + 11 + away
    low = zip(centre[(rows - 1) * cols :], beside.cols, strict=True)
    side = zip(centre[::cols], beside.rows, strict=True)
    return [
        *(f'<text x="{x}" y="{y + below:g}" {at}>{name}</text>' for (x, y), name in low),
        *(f'<text x="{x - CELL / 2 - 7 - away}" y="{y + 4}" {at}>{name}</text>'
          for (x, y), name in side),
    ]  # fmt: skip


def _hexagons(look: dict[str, Any], centre: list) -> list[str]:
    """The cells, and in the players' colours the sides that they join."""
    rows, cols, out, sides = look["rows"], look["cols"], [], {"first": [], "second": []}
    for i, (x, y) in enumerate(centre):
        row, col = divmod(i, cols)
        at = corners(x, y, CELL)
        points = " ".join(f"{px:.1f},{py:.1f}" for px, py in at)
        out.append(f'<polygon points="{points}" fill="none" stroke="{THEME["line"]}"/>')
        for who, is_side, run in (
            ("first", row == 0, (5, 0, 1)), ("first", row == rows - 1, (2, 3, 4)),
            ("second", col == 0, (3, 4, 5)), ("second", col == cols - 1, (0, 1, 2)),
        ):  # fmt: skip
            if is_side:
                sides[who].append("M" + "L".join(f"{at[k][0]:.1f} {at[k][1]:.1f}" for k in run))
    for who, runs in sides.items():
        line = f'fill="none" stroke="{THEME[who]}" stroke-width="3"'
        out.append(f'<path d="{"".join(runs)}" {line}/>')
    return out


def _dots_cell(
    look: dict[str, Any], i: int, who: int, x: float, y: float, drawn: str = THEME["fg"]
) -> str:
    part = dots_part(look, i)
    if part == "dot":
        return f'<circle cx="{x}" cy="{y}" r="{CELL * 0.14:.1f}" fill="{THEME["fg"]}"/>'
    if part == "box":
        return ""
    dx, dy = (CELL, 0) if part == "across" else (0, CELL)
    color, width = (drawn, 5) if who else (THEME["hole"], 3)
    return (
        f'<path d="M{x - dx} {y - dy}L{x + dx} {y + dy}" stroke="{color}" stroke-width="{width}"/>'
    )


def _stone(drawing: dict[str, Any], who: int, x: float, y: float) -> str:
    """A stone with its rim: disc and square, cross and ring, or a black and a white disc."""
    r, name = CELL * 0.4, "first" if who == 1 else "second"
    color, rim = THEME[name], THEME[name + "-rim"]
    if drawing["field"] == "crossings":
        fill = f'fill="{STONES[name]}" stroke="{STONES[name + "-rim"]}" stroke-width="1.4"'
        return f'<circle cx="{x}" cy="{y}" r="{CELL * 0.45:.1f}" {fill}/>'
    if crosses(drawing):
        a = r * 0.72
        shape = (
            f'<path d="M{x - a:.1f} {y - a:.1f}l{2 * a:.1f} {2 * a:.1f}m0 {-2 * a:.1f}'
            f'l{-2 * a:.1f} {2 * a:.1f}"'
            if who == 1
            else f'<circle cx="{x}" cy="{y}" r="{r * 0.8:.1f}"'
        )
        return "".join(
            f'{shape} fill="none" stroke="{c}" stroke-width="{w}" stroke-linecap="round"/>'
            for c, w in ((rim, 7), (color, 5))
        )
    line = f'fill="{color}" stroke="{rim}" stroke-width="1.6"'
    if who == 2:
        s = r * 0.88
        return (
            f'<rect x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:.1f}" height="{2 * s:.1f}"'
            f' rx="3" {line}/>'
        )
    return f'<circle cx="{x}" cy="{y}" r="{r:.1f}" {line}/>'


def _owned(owner: str, x: float, y: float) -> str:
    """On an empty point at the end: a small square in its owner's colour."""
    name = "first" if owner == "1" else "second"
    at = f'x="{x - CELL * 0.17:.1f}" y="{y - CELL * 0.17:.1f}" width="13" height="13"'
    return f'<rect {at} fill="{STONES[name]}" stroke="{STONES[name + "-rim"]}"/>'


def _ring(x: float, y: float, color: str) -> str:
    s = CELL * 0.45
    return (
        f'<rect x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:.1f}" height="{2 * s:.1f}" rx="9"'
        f' fill="none" stroke="{color}" stroke-width="3"/>'
    )


def _heat(game: Game, state: State, heat: Sequence[float], centre: list) -> list[str]:
    shares = np.asarray(heat, dtype=float)
    if shares.shape != (game.num_actions,):
        raise ValueError(f"heat must have shape ({game.num_actions},), not {shares.shape}.")
    on: dict[int, float] = {}
    for action in game.legal_actions(state):
        cell = footprint(game, state, action).target
        on[cell] = on.get(cell, 0.0) + max(0.0, float(shares[action]))
    on.pop(-1, None)  # moves that end on no cell
    out, highest = [], max([*on.values(), 1e-9])
    none = THEME["wood" if drawing_of(game).field == "crossings" else "hole"]
    for cell, share in on.items():
        x, y = centre[cell]
        fill = colors.mix_pair(none, THEME["pi"], share / highest)
        out.append(f'<circle cx="{x}" cy="{y}" r="{CELL * 0.42:.1f}" fill="{fill}"/>')
        out.append(
            f'<text x="{x}" y="{y + 4}" font-size="11" text-anchor="middle"'
            f' fill="{colors.ink_pair(fill)}">{100 * share:.0f}%</text>'
        )
    return out


def _cell_of(game: Game, cells: list[int], action: int) -> int | None:
    """The cell of a move already played: the top stone of its column where stones fall, else its
    own; None if it filled none, as a pass, or where pieces move: it depends on who did."""
    if not drops(game):
        start = game.initial_state()
        steps = (footprint(game, start, legal) for legal in game.legal_actions(start))
        return None if any(step.origin >= 0 for step in steps) else game.cell(start, action)
    column = range(action, len(cells), game.cols)
    stones = [i for i in column if cells[i]]
    if not stones:
        raise ValueError(f"No stone lies in column {label(game, action)}.")
    return stones[0]
