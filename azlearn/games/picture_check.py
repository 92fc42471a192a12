"""Whether what is drawn of a game is what is played: part of the conformance suite.

Pictures come from ``cells``, and ``RulesGame`` makes those of the planes; so a position seen by the
wrong player is found here, too. Every function gives a sentence, "" if nothing is wrong.
"""

import numpy as np

from azlearn.games.footprints import footprint
from azlearn.games.game import Game, drawing_of

WHOSE = (
    "one of three is wrong: play swaps me and opp when the turn passes and only then, to_play says"
    " who moves next, and the first plane has the stones of the player to move"
)


def draws(game: Game) -> bool:
    """Whether the game has what pictures need."""
    return all(hasattr(game, n) for n in ("cells", "cell", "action_label", "highlights"))


def label_fault(game: Game) -> str:
    """What is wrong with the names of the moves."""
    labels = [game.action_label(action) for action in range(game.num_actions)]
    for label in labels:
        if not isinstance(label, str) or len(label.split()) != 1 or label != label.strip():
            return f"action_label must give a word without blanks, not {label!r:.80}."
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        return f"action_label gives two actions the same label, {twice!r}."
    return ""


def cells_fault(game: Game, state) -> str:
    """What is wrong with the cells of a position, and with those that are emphasised."""
    cells, number = game.cells(state), game.rows * game.cols
    if not (
        isinstance(cells, (list, tuple))
        and len(cells) == number
        and all(cell in range(4) for cell in cells)
    ):
        return (
            f"cells must list rows * cols cells, {number}, each 0 (empty), 1 or 2 (a player's) or 3"
            f" (neither's), not {cells!r:.80}"
        )
    shown = game.highlights(state)
    if not (isinstance(shown, (list, tuple)) and all(cell in range(number) for cell in shown)):
        return f"highlights must list cells of the board, not {shown!r:.80}"
    owners = {cells[cell] - 1 for cell in shown}
    if game.outcome(state) is None or len(owners) != 1 or not owners <= {0, 1}:
        return ""
    # Where the game can show what has won, its owner has: +1 for the player to move, else -1.
    (owner,) = owners
    expected = 1 if owner == game.to_play(state) else -1
    if game.outcome(state) == expected:
        return ""
    return (
        f"the cells of player {owner} are highlighted as won and player {game.to_play(state)} is to"
        f" move, so outcome must be {expected:+d} (values are for the player to move), not"
        f" {game.outcome(state)}"
    )


def picture_fault(game: Game, state, action: int, following) -> str:
    """``cells`` must change where ``cell`` says, and by the mover's stone if stones are placed.

    Where a piece goes from one cell to another, nobody asks ``cell``.
    """
    before, after, mover = game.cells(state), game.cells(following), game.to_play(state)
    drawing = drawing_of(game)
    step = footprint(game, state, action, (before, after))
    if step.origin >= 0 and not drawing.falls:
        return ""
    where = game.cell(state, action)
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if where is None and len(changed) == 1 and not before[changed[0]]:
        return (
            f"cell gives None, but the move filled cell {changed[0]}: give that cell, and None"
            " where a move fills none"
        )
    if where is not None and where not in range(len(before)):
        return f"cell says that the move fills cell {where}, which is not on the board"
    if len(changed) == 1 and after[changed[0]] in (1, 2) and not before[changed[0]]:
        if changed != [where]:
            return (
                f"cell says that the mover's stone lands on cell {where}, but cells show it on cell"
                f" {changed[0]}: cell_bit and the rules number the cells in different ways"
            )
        if after[where] != mover + 1:
            return (
                f"player {mover} placed the stone on cell {where}, and cells show it as player"
                f" {1 - mover}'s; {WHOSE}"
            )
    if where is not None and (before[where] or not after[where]):
        return (
            f"cell says that the move fills cell {where}, but cells show another board: they change"
            f" on {changed or 'no cell'}"
        )
    if drawing.fills and (changed != [where] or game.to_play(following) == mover):
        return (
            "drawing has fills=True, but the move did more than place one stone and pass the turn:"
            " leave fills out"
        )
    if drawing.falls and where is not None and where % game.cols != action:
        return (
            f"drawing has falls=True, so action {action} must fill a cell of column {action}, not"
            f" cell {where}"
        )
    return ""


def planes_of_mover(game: Game, state) -> set[int]:
    """Which planes show exactly the cells of the player to move; all, if the game has no cells."""
    if not draws(game):
        return set(range(game.num_planes))
    mine = np.reshape(game.cells(state), (game.rows, game.cols)) == game.to_play(state) + 1
    return {k for k, plane in enumerate(game.encode(state)) if np.array_equal(plane, mine)}
