"""Chapter 1, the boards: legal moves and lines, by bit arithmetic.

Every right value below is worked out by hand from the moves or bits that are written beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, same, show
from azlearn.course.sections import explained_for
from azlearn.games import ConnectFour, State
from azlearn.games import connect_four_rules as rules

CONNECT_FOUR = ConnectFour()

# --- 1.1 legal mask ------------------------------------------------------------------------------

# (moves, full columns counted from 1, is the game over?)
_COLUMNS = (
    ("", "", False),
    ("111111", "1", False),  # the top stone of column 1 belongs to the player who is not to move
    ("1111112", "1", False),  # the same stone, now of the player to move
    ("11111", "", False),  # five stones: one more fits
    ("7777774444442", "47", False),
    ("1122334", "", True),  # 1, 2, 3, 4 on the bottom row: the first player has won
    ("547125662261271266215743771576315353334444", "1234567", True),  # full and drawn
)


def _mask_right(full: str, over: bool) -> list[bool]:
    return [not over and str(column + 1) not in full for column in range(7)]


def _mask_cases() -> list[Case]:
    cases = []
    for moves, full, over in _COLUMNS:
        state = CONNECT_FOUR.from_moves(moves)
        shown = f'the Connect Four position after "{moves}"' if moves else "the empty board"
        cases.append(Case(shown, (state,), _mask_right(full, over)))
    return cases


def _columns_with_bit(occ: int, offset: int, stride: int = 7) -> list[bool]:
    return [(occ >> (stride * column + offset)) & 1 == 0 for column in range(7)]


def _unless_over(state: State, mask: list[bool]) -> list[bool]:
    return [False] * 7 if rules.has_won(state.opp) else mask


_GUARD = "looks at the guard bit"
_MASK_FAULTS = (
    Fault(
        "True means illegal",
        lambda s: [not legal for legal in _unless_over(s, _columns_with_bit(s.me | s.opp, 5))],
        "in {case} the mask should be {right}; yours is {yours}. In this course a mask is called "
        "`legal_mask`, and True = legal.",
    ),
    Fault(
        "a finished game still has moves",
        lambda s: _columns_with_bit(s.me | s.opp, 5),
        "in {case} the player who has just moved has four in a row, so no move is legal. "
        "Those are the stones in `state.opp`.",
    ),
    Fault(
        _GUARD,
        lambda s: _unless_over(s, _columns_with_bit(s.me | s.opp, 6)),
        "in {case} a full column counts as open. The top cell of column c is bit 7c + 5; bit "
        "7c + 6 is the guard and is always 0.",
    ),
    Fault(
        _GUARD,
        lambda s: _columns_with_bit(s.me | s.opp, 6),
        "in {case} your mask says that every column is open, as it does in every position. The "
        "top cell of column c is bit 7c + 5; bit 7c + 6 is the guard and is always 0. (And once "
        "the player who has just moved, `state.opp`, has four in a row, nothing is legal.)",
    ),
    Fault(
        _GUARD,
        lambda s: [False] * 7,
        "in {case} the mask should be {right}; yours is {yours}, as in every position. The top "
        "cell of column c is bit 7c + 5; bit 7c + 6 is the guard, which is always 0. (And a "
        "column is open if the bit is 0.)",
    ),
    Fault(
        "one row too early",
        lambda s: _unless_over(s, _columns_with_bit(s.me | s.opp, 4)),
        "in {case} column 1 holds five stones and a sixth fits. The top cell of column c is bit "
        "7c + 5, not 7c + 4.",
    ),
    Fault(
        "sees only the mover's stones",
        lambda s: _unless_over(s, _columns_with_bit(s.me, 5)),
        "in {case} the top stone of column 1 belongs to the other player. A cell is taken "
        "whoever owns the stone: use `state.me | state.opp`.",
    ),
    Fault(
        "sees only the opponent's stones",
        lambda s: _unless_over(s, _columns_with_bit(s.opp, 5)),
        "in {case} the top stone of column 1 belongs to the player to move. A cell is taken "
        "whoever owns the stone: use `state.me | state.opp`.",
    ),
    Fault(
        "reads the board row by row",
        lambda s: _unless_over(s, _columns_with_bit(s.me | s.opp, 35, stride=1)),
        "in {case} the mask should be {right}. Bits run up a column, not along a row: the top cell "
        "of column c is bit 7c + 5, not 35 + c.",
    ),
)


@explained_for("1.1")
def check_legal_mask(call: Call) -> str:
    cases = _mask_cases()
    given = [call(*case.arguments, shown=case.shown) for case in cases]
    for case, value in zip(cases, given, strict=True):
        listed = as_list(value)
        moves = [column for column in range(7) if case.right[column]]
        if listed is not None and same(listed, moves) and not same(case.right, moves):
            raise Wrong(
                "a list of moves, not a mask",
                f"on {case.shown} you gave the columns {show(listed)}. A mask has one entry for "
                "each of the seven columns: True where the move is legal. Networks and searches "
                "need every position's mask to have the same shape.",
            )
        if listed is None or len(listed) != 7:
            raise Wrong(
                UNRECOGNISED,
                f"On {case.shown}, the mask should have 7 entries; yours is `{show(value)}`.",
            )
    compare(cases, given, _MASK_FAULTS, form=_bits)
    return "Seven columns, both players' stones, and no moves once the game is over."


def _bits(mask: Any) -> str:
    """[1 1 0 1 1 1 1]: easier to compare by eye than seven words."""
    return "[" + " ".join(str(int(bool(entry))) for entry in as_list(mask) or []) + "]"


# --- 1.2 has_won ---------------------------------------------------------------------------------


def _stones(*bits: int) -> int:
    return sum(1 << bit for bit in bits)


# Bits as in the figure of exercise 1.2: column c holds bits 7c (bottom) to 7c + 5 (top).
_LINES = (
    ("vertical", "four up column 0", _stones(0, 1, 2, 3)),
    ("vertical", "four at the top of column 6", _stones(44, 45, 46, 47)),
    ("horizontal", "four along the bottom row", _stones(0, 7, 14, 21)),
    ("horizontal", "four along the top row, right side", _stones(26, 33, 40, 47)),
    ("rising", "four rising to the right, /", _stones(0, 8, 16, 24)),
    ("rising", "four rising to the top right corner, /", _stones(23, 31, 39, 47)),
    ("falling", "four falling to the right, \\", _stones(3, 9, 15, 21)),
    ("falling", "four falling to the bottom right corner, \\", _stones(24, 30, 36, 42)),
)
_NO_LINES = (
    ("no stones", 0),
    ("three up a column", _stones(0, 1, 2)),
    ("three along the bottom row", _stones(0, 7, 14)),
    ("three rising", _stones(0, 8, 16)),
    ("three falling", _stones(3, 9, 15)),
    ("two and two with a gap, up a column", _stones(0, 1, 3, 4)),
    ("two and two with a gap, along a row", _stones(0, 7, 21, 28)),
    ("a square of four", _stones(0, 1, 7, 8)),
    ("the top of column 0 and the bottom of column 1", _stones(3, 4, 5, 7)),
    ("four stones 5 bits apart", _stones(0, 5, 10, 15)),
    ("a pair up, then a pair to the right", _stones(0, 1, 14, 21)),
    ("four falling that wrap round the edge", _stones(2, 8, 14, 27)),
)
_STEPS = (1, 7, 6, 8)


def _won_cases() -> list[Case]:
    lines = [Case(shown, (stones,), True) for _, shown, stones in _LINES]
    return lines + [Case(shown, (stones,), False) for shown, stones in _NO_LINES]


def _in_a_row(stones: int, length: int, steps: tuple[int, ...] = _STEPS) -> bool:
    for step in steps:
        line = stones
        for i in range(1, length):
            line &= stones >> (i * step)
        if line:
            return True
    return False


def _pairs_apart(stones: int) -> bool:
    pairs = [(step, stones & (stones >> step)) for step in _STEPS]
    return any(pair & (pair >> (3 * step)) for step, pair in pairs)


def _mixed_directions(stones: int) -> bool:
    pairs = 0
    for step in _STEPS:
        pairs |= stones & (stones >> step)
    return any(pairs & (pairs >> (2 * step)) for step in _STEPS)


_WON_FAULTS = (
    Fault(
        "three are enough",
        lambda b: _in_a_row(b, 3),
        "{case} counts as a win. `b & (b >> s)` marks pairs; a second shift by s makes three. "
        "For four, shift the pairs by 2s.",
    ),
    Fault(
        "five are needed",
        lambda b: _in_a_row(b, 5),
        "{case} is a win, and yours says no. Four stones need the shifts 0, s, 2s and 3s, no more.",
    ),
    Fault(
        "the guard row is forgotten",
        lambda b: _in_a_row(b, 4, (1, 6, 5, 7)),
        "{case} should give {right}. A column takes seven bits, six cells and a guard, so a "
        "neighbour to the right is 7 bits away, not 6; the diagonals are 6 and 8 away.",
    ),
    Fault(
        "a gap inside the line",
        _pairs_apart,
        "{case} should give {right}. The pairs at i and i + 2s make a line of four; "
        "shifting by 3s leaves a hole between them.",
    ),
    Fault(
        "directions are mixed",
        _mixed_directions,
        "{case} counts as a win: a pair in one direction was joined with a pair in another. "
        "Finish each direction before you `|` the four results.",
    ),
)


@explained_for("1.2")
def check_has_won(call: Call) -> str:
    cases = _won_cases()
    values = [call(*case.arguments, shown=_won_words(case)) for case in cases]
    given = [bool(value) for value in values]
    missed = {
        direction
        for (direction, _, _), value in zip(_LINES, given[: len(_LINES)], strict=True)
        if not value
    }
    whole = all(
        any(given[i] for i, line in enumerate(_LINES) if line[0] == direction) is False
        for direction in missed
    )
    if 0 < len(missed) < 4 and whole and not any(given[len(_LINES) :]):
        name = " and ".join(sorted(missed))
        case = cases[next(i for i, line in enumerate(_LINES) if line[0] in missed)]
        raise Wrong(
            "a direction is missing",
            f"Your function never sees a {name} line: {case.shown} should give True. The four "
            "steps are 1 (vertical), 7 (horizontal), 6 (falling) and 8 (rising).",
        )
    compare(cases, given, _WON_FAULTS, form=lambda value: str(bool(value)))
    for case, value in zip(cases, values, strict=True):
        if not isinstance(value, (bool, np.bool_)):
            raise Wrong(
                "a number instead of True or False",
                f"For {case.shown} yours is `{show(value)}`, where the docstring promises "
                f"{case.right}. What is left after the shifts is a number, the places where the "
                "lines begin; compare it: `(...) != 0`.",
            )
    _check_has_won_on_array(call, cases)
    return "Four directions, eight shifts, and the same function on an int and on an array."


def _won_words(case: Case) -> str:
    return f"{case.shown} (stones = {case.arguments[0]:#x})"


def _check_has_won_on_array(call: Call, cases: list[Case]) -> None:
    boards = np.array([case.arguments[0] for case in cases], dtype=np.int64)
    value, problem = call.attempt(boards, shown=f"an int64 array of {len(boards)} boards")
    right = [case.right for case in cases]
    listed = None if problem is not None else as_list(value)
    if problem is None and listed is not None and same([bool(v) for v in listed], right):
        return
    found = f"`{type(problem).__name__}`: {problem}" if problem else f"`{show(value)}`"
    raise Wrong(
        "works on an int only",
        f"Each board alone is right, but an int64 array of {len(boards)} boards gives {found}. "
        "`if`, `and`, `or` and `any` ask for one truth value; `|`, `&` and `!=` work on every "
        "element.",
    )


EXERCISES = (
    Exercise(
        id="1.1",
        title="The legal mask",
        minutes=10,
        difficulty=1,
        function="legal_mask(state)",
        check=check_legal_mask,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _MASK_FAULTS),
            "a list of moves, not a mask",
        ),
        hints=(
            "A column is open as long as its *top* cell is empty. One bit per column decides.",
            "Put both players' stones together, `occ = state.me | state.opp`, and look at bit "
            "7c + 5 for each column c. If `has_won(state.opp)`, nothing is legal.",
            "In near-code:\n\n"
            "    if has_won(state.opp): return seven times False\n"
            "    occ = all stones\n"
            "    for each column c: legal is ((occ >> (7c + 5)) & 1) == 0",
        ),
    ),
    Exercise(
        id="1.2",
        title="Four in a row, by shifting",
        minutes=15,
        difficulty=2,
        function="has_won(stones)",
        check=check_has_won,
        diagnoses=(
            *(fault.name for fault in _WON_FAULTS),
            "a direction is missing",
            "a number instead of True or False",
            "works on an int only",
        ),
        hints=(
            "`stones >> 7` moves every stone one column to the left. Where a stone lands on a "
            "stone, there was a horizontal pair.",
            "`pairs = stones & (stones >> s)` marks each pair's lower end. Two pairs whose ends "
            "are 2s apart make four. Do it for s = 1, 7, 6 and 8.",
            "In near-code:\n\n"
            "    for one direction s:\n"
            "        pairs = stones & (stones >> s)\n"
            "        fours = pairs & (pairs >> 2s)\n"
            "    | the four results together, and compare with 0 (no `if`, no `or`)",
        ),
    ),
)
