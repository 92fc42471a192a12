"""Chapter 10, a game against yourself (10.2): noise once a move, π beside its own position.

What is given to the function are stand-ins that write down how they are called. A fault shows in
what was asked, and in what came back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, as_list, same, show
from azlearn.course.probe_games import P6
from azlearn.course.sections import explained_for
from azlearn.games import Game, State, TicTacToe

_GAME = TicTacToe()
# words, game, moves before the start, moves that are played
_CASES = (
    ("tic-tac-toe from the empty board", _GAME, "", "14253"),
    ('tic-tac-toe from "15" on', _GAME, "15", "2374698"),
    (P6.name, P6, "", "11"),
)


@dataclass
class Stand:
    """Search, noise and choice for one game whose moves are known, and what they were asked.

    The most visited move is never the one that is played.
    """

    game: Game
    before: str
    moves: str
    noises: list[list[int]] = field(default_factory=list)  # legal actions of each draw
    searches: list[tuple[State, int | None]] = field(default_factory=list)  # state, which draw
    choices: list[tuple[int, int]] = field(default_factory=list)  # which search, ply

    @property
    def start(self) -> State:
        return self.game.from_moves(self.before)

    def draw(self, legal_actions: Any) -> np.ndarray:
        """make_noise: float [num_actions]; its first number tells which draw it is."""
        self.noises.append([int(action) for action in legal_actions])
        return np.full(self.game.num_actions, len(self.noises) - 1.0)

    def search(self, state: Any, noise: Any) -> np.ndarray:
        """N, int [num_actions]; the last number tells which search it is."""
        if self.game.outcome(state) is not None:
            raise _SearchedTheEnd
        self.searches.append((State(*state), None if noise is None else int(noise[0])))
        visits = np.zeros(self.game.num_actions, int)
        visits[-1] = len(self.searches) - 1
        return visits

    def choose(self, visits: Any, ply: Any) -> tuple[list[float], int]:
        """(π, move); π's first number tells which search it is of."""
        number = int(visits[-1])
        self.choices.append((number, int(ply)))
        state = self.searches[number][0]
        move = self._line.get(state, self.game.legal_actions(state)[-1])
        return [float(number)] * self.game.num_actions, move

    @property
    def _line(self) -> dict[State, int]:
        """Every position of the game, and the move that is played there."""
        line, state = {}, self.start
        for move in self.moves:
            line[state] = int(move) - 1
            state = self.game.play(state, line[state])
        return line

    def seen(self) -> list:
        """All that was asked, in lists."""
        return [
            self.noises,
            [[list(s), n] for s, n in self.searches],
            [list(c) for c in self.choices],
        ]


class _SearchedTheEnd(Exception):
    """A finished position was searched."""


Play = Callable[..., tuple[list, list, State]]


def _played(
    *,
    noise: str = "move",
    ply_from_zero: bool = False,
    states_after: bool = False,
    twice: bool = False,
    last: bool = False,
) -> Play:
    """The right function, or one with a fault."""

    def play(game, state, ply, search, make_noise, choose):
        states, policies, drawn = [], [], None
        ply = 0 if ply_from_zero else ply
        while game.outcome(state) is None:
            if noise == "move" or (noise == "game" and drawn is None):
                drawn = make_noise(game.legal_actions(state))
            visits = search(state, drawn)
            if twice:
                visits = search(state, make_noise(game.legal_actions(state)))
            policy, action = choose(visits, ply)
            before, state = state, game.next_state(state, action)
            states.append(state if states_after else before)
            policies.append(policy)
            ply += 1
        return [*states, *([state] if last else [])], policies, state

    return play


RIGHT = _played()
_FAULTS = (
    (
        "no noise",
        _played(noise="never"),
        "Every search was run without noise. Then a move that the network does not like is never "
        "tried, and never learnt.",
    ),
    (
        "one draw of noise for the whole game",
        _played(noise="game"),
        "The noise was drawn once and used for every move. It belongs to one root: after a move "
        "other actions are legal.",
    ),
    (
        "plies counted from the first search",
        _played(ply_from_zero=True),
        "`choose` was told another ply. The game may have begun earlier, with a random opening: "
        "`ply` says where it stands.",
    ),
    (
        "the position after the move beside its π",
        _played(states_after=True),
        "Keep the position *before* the move: that is the one that was searched.",
    ),
    (
        "two searches a move",
        _played(twice=True),
        "One search a move is enough.",
    ),
    (
        "the finished position among the states",
        _played(last=True),
        "The final position comes back by itself. There is no π for it.",
    ),
)


def _run(play: Play, case: tuple) -> list:
    """What a function asks and gives back on a case."""
    stand = _stand(case)
    states, policies, final = play(*_arguments(stand))
    return [stand.seen(), [list(s) for s in states], policies, list(final)]


def _stand(case: tuple) -> Stand:
    return Stand(*case[1:])


def _arguments(stand: Stand) -> tuple:
    start = stand.start
    return stand.game, start, len(stand.before), stand.search, stand.draw, stand.choose


@explained_for("10.2")
def check_game(call: Call) -> str:
    given = []
    for case in _CASES:
        stand = _stand(case)
        value, problem = call.attempt(*_arguments(stand), shown=case[0])
        if isinstance(problem, _SearchedTheEnd):
            raise Wrong(
                "searches the finished position",
                f"On {case[0]}, you searched after the game was over. Ask `game.outcome(state)` "
                "before every search.",
            )
        given.append([stand.seen(), *_parts(call.settle(value, problem), case[0])])
    right = [_run(RIGHT, case) for case in _CASES]
    if all(map(same, given, right)):
        return "One noise, one search and one move at a time, and every π beside its own position."
    for name, play, message in _FAULTS:
        if all(same(_run(play, case), found) for case, found in zip(_CASES, given, strict=True)):
            raise _wrong(name, message, right, given)
    _raise_for_moves(given, right)
    raise _wrong(UNRECOGNISED, "", right, given)


def _parts(value: Any, shown: str) -> list:
    parts = as_list(value) or []
    if len(parts) != 3 or as_list(parts[0]) is None or as_list(parts[1]) is None:
        raise Wrong(
            "not states, policies and the final position",
            f"On {shown}, (states, policies, final) is asked for; you gave {show(value):.80}.",
        )
    return [[as_list(state) for state in parts[0]], as_list(parts[1]), as_list(parts[2])]


def _raise_for_moves(given: list, right: list) -> None:
    """Another game was played: not the moves that ``choose`` gave."""
    for (words, *_), (_, states, _, final), wanted in zip(_CASES, given, right, strict=True):
        if not same(final, wanted[3]):
            searched = f"{len(states)} position{'s' * (len(states) != 1)}"
            raise Wrong(
                "does not play the chosen moves to the end",
                f"On {words}, `choose` leads to another final position than yours; you kept "
                f"{searched}. Play the move that `choose` gives, until `game.outcome` is not None.",
            )


def _wrong(name: str, message: str, right: list, given: list) -> Wrong:
    number = next(i for i, pair in enumerate(zip(right, given, strict=True)) if not same(*pair))
    words = ("noise was drawn for", "searched (position, draw)", "chosen (search, ply)")
    rows = [
        (f"{what}, {_CASES[number][0]}", show(wanted), show(found))
        for what, wanted, found in zip(words, right[number][0], given[number][0], strict=True)
        if not same(wanted, found)
    ]
    said = f"Your game matches “{name}”. " if name != UNRECOGNISED else ""
    text = f"On {_CASES[number][0]}, what you asked or gave back is not right. {said}{message}"
    return Wrong(name, text.rstrip(), rows)


EXERCISES = (
    Exercise(
        id="10.2",
        title="A game against yourself",
        minutes=12,
        difficulty=2,
        function="self_play_game(game, state, ply, search, make_noise, choose)",
        check=check_game,
        diagnoses=(
            *(name for name, _, _ in _FAULTS),
            "searches the finished position",
            "not states, policies and the final position",
            "does not play the chosen moves to the end",
        ),
        hints=(
            "Until the game is over: noise for this position, a search of it, a choice, the "
            "move. What must be kept, and before or after the move?",
            "`visits = search(state, make_noise(game.legal_actions(state)))`, then `pi, action = "
            "choose(visits, ply)`.",
            "In near-code:\n\n"
            "    while the game goes on:\n"
            "        noise for the legal actions here\n"
            "        visits of a search of state with that noise\n"
            "        pi, action = choose(visits, ply)\n"
            "        keep state and pi\n"
            "        state after action; ply + 1\n"
            "    return states, policies, state",
        ),
    ),
)
