"""Chapter 1, the values: what a finished game is worth, and minimax.

Every right value below is worked out by hand from the moves that are written beside it.
"""

from __future__ import annotations

from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show
from azlearn.course.probe_games import P1, P2, P3, P4, P5, P7
from azlearn.course.sections import explained_for
from azlearn.games import State, TicTacToe
from azlearn.games import tic_tac_toe_rules as rules

TIC_TAC_TOE = TicTacToe()

# --- 1.3 outcome ---------------------------------------------------------------------------------

# (moves, what the board shows, value for the player to move)
_ENDINGS = (
    ("", "the empty board", None),
    ("15243", "X has the top row, O to move", -1),
    ("132597", "O has the diagonal 3, 5, 7, X to move", -1),
    ("563842179", "X completed the diagonal with the ninth stone", -1),
    ("745913682", "a full board without a line", 0),
    ("74591368", "eight stones, no line, one cell left", None),
)


def _outcome_cases() -> list[Case]:
    return [
        Case(f'"{moves}" ({words})', (TIC_TAC_TOE.from_moves(moves),), value)
        for moves, words, value in _ENDINGS
    ]


def _value(state: State, *, win: Any = -1, draw: Any = 0, going_on: Any = None) -> Any:
    if rules.has_won(state.opp):
        return win
    return draw if rules.is_full(state.me | state.opp) else going_on


def _first_players_view(state: State) -> int | None:
    return _value(state, win=1 if TIC_TAC_TOE.to_play(state) == 1 else -1)


def _full_first(state: State) -> int | None:
    return 0 if rules.is_full(state.me | state.opp) else _value(state)


_OUTCOME_FAULTS = (
    Fault(
        "win credited to the player to move",
        lambda s: _value(s, win=1),
        "after {case} the value should be {right}; yours is {yours}. The line was completed by the "
        "player who has just moved; the player to move looks at a lost game, -1.",
    ),
    Fault(
        "first player's view",
        _first_players_view,
        "after {case} the value should be {right}; yours is {yours}. Every value in this course is "
        "for the player to move in that position, not for X.",
    ),
    Fault(
        "draw counted as a loss",
        lambda s: _value(s, draw=-1),
        "after {case} nobody has won: the value is 0, and yours is {yours}. A search that takes "
        "draws for losses gives up drawn positions.",
    ),
    Fault(
        "draw counted as a win",
        lambda s: _value(s, draw=1),
        "after {case} nobody has won: the value is 0, and yours is {yours}.",
    ),
    Fault(
        "draw not recognised",
        lambda s: _value(s, draw=None),
        "after {case} the game is over, and yours says None, it goes on. `is_full` wants all "
        "stones, `state.me | state.opp`; of `state`, or of one player's stones, it is never true.",
    ),
    Fault(
        "unfinished game counted as a draw",
        lambda s: _value(s, going_on=0),
        "after {case} the game goes on: None, not 0. A search would stop here and book a draw.",
    ),
    Fault(
        "full board asked before the line",
        _full_first,
        "after {case} the last stone wins. Ask for a line first, and for a full board after.",
    ),
    Fault(
        "line never seen",
        lambda s: 0 if rules.is_full(s.me | s.opp) else None,
        "after {case} the value should be {right}; yours is {yours}. The player who has just moved "
        "is `state.opp`; the player to move can never have a line.",
    ),
)


@explained_for("1.3")
def check_outcome(call: Call) -> str:
    cases = _outcome_cases()
    given = [call(*c.arguments, shown=c.shown, may_return_none=True) for c in cases]
    drawn = given[4]
    others_right = all(
        same(c.right, g) for i, (c, g) in enumerate(zip(cases, given, strict=True)) if i != 4
    )
    if others_right and drawn is not None and not same(drawn, 0) and abs(drawn) < 1:
        raise Wrong(
            "draw is not 0",
            f"After {cases[4].shown} the value should be 0; yours is {show(drawn)}. Values lie in "
            "[-1, 1] with the draw in the middle; a tiny or a half value biases every mean it "
            "enters.",
        )
    compare(cases, given, _OUTCOME_FAULTS, form=_signed_value)
    return "-1 to the player who must look at the other's line, 0 for a draw, None to play on."


def _signed_value(value: Any) -> str:
    return "None" if value is None else f"{float(value):+g}" if value else "0"


# --- 1.4 minimax ---------------------------------------------------------------------------------

# Values by hand: each of these boards can be read to the end.
_BOARDS = (
    ("745913682", "a full board, drawn", 0),
    ("15243", "X has the top row, O to move", -1),
    ("1425", "X to move, cell 3 completes the top row", +1),
    ("14257", "O to move, cell 6 completes the middle row", +1),
    ("74591368", "X to move, one cell left, drawn", 0),
    ("15937", "O to move, X threatens two lines at once", -1),
    ("159", "O to move, X holds two corners, O the centre", 0),
)


def _board_cases() -> list[Case]:
    boards = [
        Case(
            f'tic-tac-toe after "{moves}" ({words})',
            (TIC_TAC_TOE, TIC_TAC_TOE.from_moves(moves)),
            v,
        )
        for moves, words, v in _BOARDS
    ]
    probes = ((P1, +1), (P7, -1), (P2, 0), (P3, +1), (P4, 0), (P5, -1))
    return boards + [Case(game.name, (game, game.initial_state()), value) for game, value in probes]


def _search(game, state, *, flip=-1, best=max, start=None, ending=lambda value: value) -> Any:
    """Minimax with one knob turned: what each fault below would give."""
    value = game.outcome(state)
    if value is not None:
        return ending(value)
    moves = game.legal_actions(state)
    knobs = {"flip": flip, "best": best, "start": start, "ending": ending}
    values = [flip * _search(game, game.next_state(state, move), **knobs) for move in moves]
    return best(values if start is None else [start, *values])


def _view_of_first(game, state) -> int:
    value = _search(game, state)
    return value if game.to_play(state) == 0 else -value


def _best_move(game, state) -> int:
    if game.outcome(state) is not None:
        return game.outcome(state)
    moves = game.legal_actions(state)
    return max(moves, key=lambda move: -_search(game, game.next_state(state, move)))


def _one_ply(game, state) -> int:
    if game.outcome(state) is not None:
        return game.outcome(state)
    children = [game.next_state(state, move) for move in game.legal_actions(state)]
    return max(-(game.outcome(child) or 0) for child in children)


_MINIMAX_FAULTS = (
    Fault(
        "value not negated",
        lambda g, s: _search(g, s, flip=+1),
        "for {case} the value is {right}; yours is {yours}. A child's value is for the player to "
        "move *there*, the opponent; what is +1 for them is -1 for you.",
    ),
    Fault(
        "first player's view",
        _view_of_first,
        "for {case} the value is {right} for the player to move; yours is {yours}, what it is "
        "worth to the first player.",
    ),
    Fault(
        "best starts at 0",
        lambda g, s: _search(g, s, start=0),
        "for {case} the value is {right}; yours is {yours}. With `best = 0` at the start a lost "
        "position looks drawn. Start below -1.",
    ),
    Fault(
        "a move instead of a value",
        _best_move,
        "for {case} the value is {right}; yours is {yours}, the number of the best move.",
    ),
    Fault(
        "looks one ply ahead",
        _one_ply,
        "for {case} the value is {right}; yours is {yours}. Ask for the child's *minimax* value, "
        "not only for its outcome.",
    ),
    Fault(
        "takes the worst move",
        lambda g, s: _search(g, s, best=min),
        "for {case} the value is {right}; yours is {yours}. After the negation each value is the "
        "mover's own, and the mover takes the largest.",
    ),
    Fault(
        "smallest child value, not negated",
        lambda g, s: _search(g, s, flip=+1, best=min),
        "for {case} the value is {right}; yours is {yours}. You look for the child that is worst "
        "for the opponent, which is right; but its value is still the opponent's. "
        "`-min(minimax(child))` is yours, and the same as `max(-minimax(child))`.",
    ),
    Fault(
        "finished game negated",
        lambda g, s: _search(g, s, ending=lambda value: -value),
        "for {case} the value is {right}; yours is {yours}. `game.outcome` already speaks for the "
        "player to move; return it as it is.",
    ),
    Fault(
        "draw counted as a loss",
        lambda g, s: _search(g, s, ending=lambda value: value or -1),
        "for {case} the value is {right}; yours is {yours}. A draw is worth 0 to both.",
    ),
)


@explained_for("1.4")
def check_minimax(call: Call) -> str:
    cases = _board_cases()
    drawn = cases[0]
    value, problem = call.attempt(*drawn.arguments, shown=drawn.shown)
    if problem is not None or (value is not None and not same(value, 0) and abs(value) > 1):
        won = call(*cases[1].arguments, shown=cases[1].shown)
        if same(won, -1):
            found = f"`{type(problem).__name__}`: {problem}" if problem else show(value)
            raise Wrong(
                "a drawn game is searched on",
                f"For {drawn.shown}, the value is 0; yours gives {found}. `if game.outcome(state):` "
                "is false for None *and* for 0; write `is not None`.",
            )
    given = [call(*case.arguments, shown=case.shown) for case in cases]
    compare(cases, given, _MINIMAX_FAULTS, form=_signed_value)
    return "The truth, for any game small enough to search to the end."


EXERCISES = (
    Exercise(
        id="1.3",
        title="What a finished game is worth, and to whom",
        minutes=8,
        difficulty=1,
        function="outcome(state)",
        check=check_outcome,
        diagnoses=(*(fault.name for fault in _OUTCOME_FAULTS), "draw is not 0"),
        hints=(
            "Who can have a line, when it is your turn? Only the player who moved last.",
            "The player who moved last is `state.opp`. Their line means -1 for you. Ask this "
            "before you ask whether the board is full.",
            "In near-code:\n\n"
            "    if the opponent has a line: -1\n"
            "    if the board (both players' stones) is full: 0\n"
            "    otherwise: None",
        ),
    ),
    Exercise(
        id="1.4",
        title="Minimax: the truth for a small game",
        minutes=15,
        difficulty=2,
        function="minimax(game, state)",
        check=check_minimax,
        diagnoses=(*(fault.name for fault in _MINIMAX_FAULTS), "a drawn game is searched on"),
        hints=(
            "If the game is over, the rules know the value. If not, it is the value of the best "
            "move, and a move's value is the value of the position behind it, seen from your side.",
            "What is behind a move is worth `minimax(game, child)` to your *opponent*, so "
            "`-minimax(game, child)` to you.",
            "In near-code:\n\n"
            "    value = game.outcome(state)\n"
            "    if value is not None: return it\n"
            "    return the largest of -minimax(game, child) over the legal moves",
        ),
    ),
)
