"""A game against yourself (10.2): search, noise and choice write down how they are called."""

import numpy as np

from azlearn.course.exercises.ch10_self_play import samples
from azlearn.course.kit import KIND, THREE, Case, as_list, show
from azlearn.course.probe_games import P6

OVER = "whether a finished position is searched"
FINAL, STATES, PI = (
    "ply of `final`",
    "plies of `states`",
    "plies of the searches whose π `policies` are",
)
draw = samples.draw
CASES = [
    Case("tic-tac-toe from the empty board", (THREE, "", "14253"), {FINAL: 5, STATES: [0, 1, 2, 3, 4], PI: [0, 1, 2, 3, 4]}),
    Case('tic-tac-toe from "15" on', (THREE, "15", "2374698"), {FINAL: 9, STATES: [2, 3, 4, 5, 6, 7, 8], PI: [2, 3, 4, 5, 6, 7, 8]}),
    Case(P6.name, (P6, "", "11"), {FINAL: 2, STATES: [0, 1], PI: [0, 1]}),
]  # fmt: skip


def observe(self_play_game, case):
    """Positions are written as their plies; the game is played as ``case`` says, if it can be."""
    game, before, moves = case.arguments
    line, start = before + moves, len(before)
    noises, searched, asked, choices = [], [], [], []
    known = {str([*game.from_moves(line[:n])]): n for n in range(start, len(line) + 1)}

    def ply_of(state):
        return known.get(str(as_list(state)), "another position")

    def number_of(array, step, otherwise):
        """The first entry, if the others follow in these steps and none is missing."""
        found = as_list(array)
        whole = isinstance(found, list) and len(found) == game.num_actions
        return (
            int(found[0])
            if whole and found == [found[0] + step * action for action in range(game.num_actions)]
            else otherwise
        )

    def make_noise(legal_actions) -> np.ndarray:
        noises.append("".join(str(action + 1) for action in legal_actions))
        return start + len(noises) - 1 + np.arange(game.num_actions) / 16

    def search(state, noise) -> np.ndarray:
        """Which search it is, as N of move 0, which is not the most visited."""
        searched.append(state)
        asked.append("none" if noise is None else number_of(noise, 1 / 16, "another array"))
        return start + len(searched) - 1 + 1000 * np.arange(game.num_actions)

    def choose(visit_counts, ply) -> tuple[list[int], int]:
        choices.append((number_of(visit_counts, 1000, "another array"), ply))
        state = searched[int(visit_counts[0]) - start]
        on = known.get(str([*state]), len(line))
        move = int(line[on]) - 1 if on < len(line) else game.legal_actions(state)[-1]
        return [int(visit_counts[0]) + a / 16 for a in reversed(range(game.num_actions))], move

    def is_over(states: list) -> bool:
        return any(game.outcome(state) is not None for state in states)

    arguments = game, game.from_moves(before), start, search, make_noise, choose
    try:
        value = self_play_game(*arguments)
    except Exception:
        if is_over(searched):
            return {OVER: True}
        raise
    seen = {OVER: is_over(searched)}
    found = [as_list(part) for part in as_list(value) or []]
    if len(found) != 3 or None in found:
        return seen | {KIND: f"{show(value):.80}, not (states, policies, final)"}
    return seen | {
        KIND: "(states, policies, final)",
        FINAL: ply_of(found[2]),
        "plies of the positions searched": [*map(ply_of, searched)],
        "moves for which noise is drawn": noises,
        "number of the noise for each search": asked,
        "(number of the search, ply) for each choice": choices,
        STATES: [*map(ply_of, found[0])],
        PI: [number_of(policy[::-1], 1 / 16, "another π") for policy in found[1]],
    }
