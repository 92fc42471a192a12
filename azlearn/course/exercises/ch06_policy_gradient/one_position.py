"""One position per game (6.6): p_σ, one random move, p_ρ; which position, and whose z.

In tic-tac-toe p_σ takes the first empty cell and p_ρ the last: all that can come back does so in a
few games. How often it comes back is looked at in a game of three moves.
"""

from collections.abc import Callable

import numpy as np

from azlearn.course.drawing import shares
from azlearn.course.kit import THREE, About, Case, Raised, Unfit, numbers, parts, show, signed
from azlearn.course.observation import cause_of
from azlearn.course.probe_games import Position, TableGame
from azlearn.games import State

# The first player's move, the second's, the first's again: 0 wins then, 1 loses.
THREE_MOVES = TableGame("a game of three moves", 2, (
    Position(0, ((0, 1), (1, 2))), Position(1, ((0, 3), (1, 4))), Position(1, ((0, 5), (1, 6))),
    *[Position(0, ((0, 7), (1, 8)))] * 4, Position(1, value=-1), Position(1, value=+1),
))  # fmt: skip
DRAWS, CLOSE = 600, 0.08  # the shares of 600 draws come within a quarter of it
SHARES = {"share of move 1, p_σ's first": 0.75, "share of move 1, the random one": 0.5, "share of games won, by p_ρ's move 1": 0.7}  # fmt: skip
SAME, TWICE = "whether all games give the same", "whether a cell is taken twice"
AGAIN, DROPPED, Z = "whether the same seed gives the same again", "whether `None` comes back", "z"


def tic_tac_toe(u: int, *z: str) -> Case:
    words = f"tic-tac-toe with U = {u}, p_σ taking the first empty cell and p_ρ the last"
    return Case(words, (u,), {Z: list(z)})


CASES = [
    tic_tac_toe(7, "1234568: -1"),
    tic_tac_toe(6, "123456: +1", "123457: +1", "123458: +1", "123459: 0"),
    tic_tac_toe(5, "12345: 0", "12346: 0", "12347: -1", "12348: -1", "12349: -1"),
    tic_tac_toe(1, "1: +1", "2: +1", "3: 0", "4: 0", "5: 0", "6: 0", "7: -1", "8: -1", "9: -1"),
    tic_tac_toe(8),
    Case(f"{THREE_MOVES.name} with U = 2, many times", (), {key: About(share, CLOSE) for key, share in SHARES.items()}),
]  # fmt: skip


def policy(place: int) -> Callable[[State], np.ndarray]:
    """p(state), float [9]: 1 for the first empty cell, or for the last."""

    def p(state: State) -> np.ndarray:
        if THREE.outcome(state) is not None:
            raise ValueError("A policy was asked about a finished game.")
        return np.eye(9)[THREE.legal_actions(state)[place]]

    return p


SL, RL = policy(0), policy(-1)


def observe(one_position, case):
    return of_cells(one_position, *case.arguments) if case.arguments else of_shares(one_position)


def of_cells(one_position, u: int) -> dict:
    opening, cells = "1234567"[: u - 1], "123456789"[u - 1 :] if u < 8 else ""
    after = {THREE.from_moves(opening + cell): opening + cell for cell in cells}
    wanted = {state: moves for state, moves in after.items() if THREE.outcome(state) is None}
    values = [played(one_position, u, seed) for seed in range(12 * max(len(after), 1))]
    odd, raised = (next((v for v in values if isinstance(v, kind)), None) for kind in (str, Raised))
    seen = {
        "what comes back": odd or "(state, z) or None",
        "what is raised": str(raised or "nothing"),
    }
    if odd or raised:
        return seen
    kept = {(State(*value[:2]), value[2]) for value in values if value}
    states = {state for state, _ in kept}
    seen |= {SAME: u < 7 and len(set(values)) == 1, TWICE: any(map(is_impossible, states))}
    if seen[TWICE]:
        return seen
    missing = sorted(moves[-1] for state, moves in wanted.items() if state not in states)
    again = [played(one_position, u, seed) for seed in range(6)]
    return seen | {
        "whether a finished game is kept": any(
            THREE.outcome(state) is not None for state in states
        ),
        "stones, where they are not U": sorted({*map(THREE.num_plies, states)} - {u}),
        "positions that p_σ and move U cannot reach": sorted(map(in_text, states - wanted.keys())),
        DROPPED: None in values,
        "moves U that are never drawn": missing if u < 7 else [],
        "moves U after which no position comes back": missing if u == 7 else [],
        "whether a position has two results": len(states) < len(kept),
        Z: sorted(f"{wanted.get(s) or in_text(s)}: {signed([z])[1:-1]}" for s, z in kept),
        AGAIN: again == values[:6],
    }


def played(one_position, u: int, seed: int):
    """None, (me, opp, z), or what else came back, in words; ``Raised`` if the game can be over."""
    try:
        value = one_position(THREE, SL, RL, u, np.random.default_rng(seed))
        state, z = (None, None) if value is None else parts(value, (2,), ())
    except Unfit:
        return f"{show(value):.80}"
    except Exception as problem:
        if u < 7 or not isinstance(cause_of(problem), ValueError | IndexError):
            raise
        return Raised(type(cause_of(problem)).__name__)
    return state and (int(state[0]), int(state[1]), float(z))


def is_impossible(state: State) -> bool:
    stones = [one.bit_count() for one in state]
    return bool(state.me & state.opp) or stones[1] - stones[0] not in (0, 1)


def in_text(state: State) -> str:
    return "/".join(THREE.to_text(state).split("\n")[:3])


def of_shares(one_position) -> dict:
    sl, rl = (lambda state: np.array([0.75, 0.25])), (lambda state: np.array([0.7, 0.3]))
    values, again = (
        [numbers(one_position(THREE_MOVES, sl, rl, 2, rng)) for _ in range(draws)]
        for rng, draws in ((np.random.default_rng(0), DRAWS), (np.random.default_rng(0), 30))
    )
    if None in values:
        return {DROPPED: True}
    if all(value == values[0] for value in values):
        return {SAME: True}
    kept, won = np.array([state[0] for state, _ in values]), np.array([z == 1 for _, z in values])
    found = np.isin(kept, (3, 4)).mean(), np.isin(kept, (3, 5)).mean(), won.mean()
    pairs = zip(SHARES.items(), found, strict=True)
    seen = {key: shares(share, right, CLOSE) for (key, right), share in pairs}
    return {AGAIN: again == values[:30], **seen}
