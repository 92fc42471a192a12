"""Boards as pictures: stones that differ in shape as well as in colour."""

import html
from collections.abc import Sequence

import numpy as np

from azlearn.games import Game, State
from azlearn.viz import colors
from azlearn.viz.picture import Picture

CELL = 38
THEME = colors.LIGHT_THEME


def crosses(name: str) -> bool:
    """Whether the game of this name is drawn with crosses and rings instead of stones."""
    return name == "tic_tac_toe"


def marks(game: Game) -> tuple[str, str]:
    """How the two players are written: ✕ ◯ on a tic-tac-toe board, ● ■ elsewhere."""
    return ("✕", "◯") if crosses(game.name) else ("●", "■")


def drops(game: Game) -> bool:
    """Whether an action is a column that a stone drops into."""
    return game.num_actions == game.cols and game.rows > 1


def label(game: Game, action: int) -> str:
    """An action as its game writes it; counted from 1 if the game does not say."""
    write = getattr(game, "action_label", None)
    return write(action) if write else str(action + 1)


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
        heat: [num_actions], a share of each move in [0, 1] (a policy): shown where the move lands.
        last: the action that led here; its stone is ringed.
        alt: alternative text; None for a description of the position.

    Raises:
        ValueError: heat has the wrong length, or the game has no board.
    """
    if not hasattr(game, "cells"):
        raise ValueError(f"{game.name} has no `cells`, so there is no board to draw.")
    cells, rows, cols = game.cells(state), game.rows, game.cols
    top = 20 if drops(game) else 2
    width, height = cols * CELL + 4, rows * CELL + top + 2
    out = [f'<rect width="{width}" height="{height}" rx="6" fill="{THEME["bg"]}"/>']
    if crosses(game.name):
        lines = [f"M{2 + c * CELL} {top}v{rows * CELL}" for c in range(1, cols)]
        lines += [f"M2 {top + r * CELL}h{cols * CELL}" for r in range(1, rows)]
        out.append(f'<path d="{"".join(lines)}" stroke="{THEME["line"]}" stroke-width="2"/>')
    if drops(game):
        out += [
            f'<text x="{2 + (c + 0.5) * CELL}" y="14" font-size="12" fill="{THEME["mute"]}"'
            f' text-anchor="middle">{html.escape(label(game, c))}</text>'
            for c in range(cols)
        ]
    centre = [
        (2 + (i % cols + 0.5) * CELL, top + (i // cols + 0.5) * CELL) for i in range(rows * cols)
    ]
    for i, who in enumerate(cells):
        out.append(_stone(game, who, *centre[i]))
    if heat is not None:
        out += _heat(game, state, heat, centre)
    if last is not None:
        out.append(_ring(*centre[_cell_of(game, cells, last)], THEME["fg"]))
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
    """``board_svg`` as something a notebook displays, with its alternative text."""
    alt = alt or describe(game, state)
    svg = board_svg(game, state, heat=heat, last=last, alt=alt)
    return Picture(alt, svg=svg, caption=caption)


def describe(game: Game, state: State) -> str:
    """A position in words, for readers who cannot see it: its rows and who is to move."""
    players = ("X", "O") if crosses(game.name) else ("Red", "Yellow")
    letters = f".{players[0][0]}{players[1][0]}"
    cells = [letters[who] for who in game.cells(state)]
    rows = [" ".join(cells[i : i + game.cols]) for i in range(0, len(cells), game.cols)]
    outcome, mover = game.outcome(state), game.to_play(state)
    if outcome is None:
        status = f"{players[mover]} to move"
    elif outcome == 0:
        status = "a draw"
    else:
        status = f"{players[mover if outcome > 0 else 1 - mover]} has won"
    name = game.name.replace("_", " ")
    return f"Board of {name}, {status}. Rows from the top: {'; '.join(rows)}."


def _stone(game: Game, who: int, x: float, y: float) -> str:
    r = CELL * 0.4
    color = THEME["first" if who == 1 else "second"]
    if crosses(game.name):
        a, line = r * 0.72, f'fill="none" stroke="{color}" stroke-width="5" stroke-linecap="round"'
        if who == 1:
            return (
                f'<path d="M{x - a:.1f} {y - a:.1f}l{2 * a:.1f} {2 * a:.1f}m0 {-2 * a:.1f}'
                f'l{-2 * a:.1f} {2 * a:.1f}" {line}/>'
            )
        return f'<circle cx="{x}" cy="{y}" r="{r * 0.8:.1f}" {line}/>' if who else ""
    if who == 2:
        s = r * 0.88
        return (
            f'<rect x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:.1f}" height="{2 * s:.1f}"'
            f' rx="4" fill="{color}"/>'
        )
    return f'<circle cx="{x}" cy="{y}" r="{r:.1f}" fill="{color if who else THEME["hole"]}"/>'


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
    out, highest = [], max(shares.max(), 1e-9)
    for action in game.legal_actions(state):
        x, y = centre[game.cell(state, action)]
        fill = colors.mix(THEME["hole"], colors.LIGHT["pi"], max(0.0, shares[action]) / highest)
        out.append(f'<circle cx="{x}" cy="{y}" r="{CELL * 0.42:.1f}" fill="{fill}"/>')
        out.append(
            f'<text x="{x}" y="{y + 4}" font-size="11" text-anchor="middle"'
            f' fill="{colors.ink(fill)}">{100 * shares[action]:.0f}%</text>'
        )
    return out


def _cell_of(game: Game, cells: list[int], action: int) -> int:
    """The cell of a stone already played: the action's own, or the top stone of its column."""
    if not drops(game):
        return action
    column = range(action, len(cells), game.cols)
    stones = [i for i in column if cells[i]]
    if not stones:
        raise ValueError(f"No stone lies in column {label(game, action)}.")
    return stones[0]
