"""One call for all (12.1). The network of the check answers from the position, and notes what it is asked."""

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import FOUR, KIND, THREE, Case, Observation, Unfit, parts, row, show
from azlearn.games import State
from azlearn.search.evaluators import hash_bits


def answer(game, state: State) -> tuple[list[float], float]:
    """(prior [num_actions], value) of a position: arbitrary, but the same each time."""
    bits, legal = hash_bits(*state), game.legal_actions(state)
    shares = [((bits >> (3 * a)) & 7) + 1 if a in legal else 0 for a in range(game.num_actions)]
    return [share / (sum(shares) or 1) for share in shares], ((bits >> 5) & 1023) / 512 - 1


def at(game, *slots: str | None, words: str = "") -> Case:
    """``slots``: the moves that lead to the position that waits, or None."""
    states = [moves if moves is None else game.from_moves(moves) for moves in slots]
    right = [state and answer(game, state) for state in states]
    return Case(words or f"slots of {game.name}: {list(slots)}", (game, states), in_parts(right))


def in_parts(pairs: list) -> Observation:
    return {
        f"the {k}s": [pair and pair[i] for pair in pairs] for i, k in ((1, "value"), (0, "prior"))
    }


ARRAYS = "State of int64 [n] and int64 [n]"
CASES = [
    at(THREE, "19", "51", "91", words="three slots that wait"),
    at(THREE, None, "5162", None, None, "19", "5", words="six slots, of which 1, 3 and 4 have nothing to ask"),
    at(THREE, None, "91", None, words="one slot that waits, between two that do not"),
    at(THREE, "5", "51", "5", words="the same position in two slots"),
    at(THREE, None, None, None, words="three slots that have nothing to ask"),
]  # fmt: skip


def draw(rng):
    """No slot or more, the start of the game (me = opp = 0) and large numbers among them."""
    game = (THREE, FOUR)[rng.integers(2)]
    drawn = [drawn_moves(rng, game) for _ in range(rng.integers(7))]
    kinds = rng.choice(["same", "start", "", ""], size=len(drawn))
    slots = [{"same": drawn[0], "start": ""}.get(k, d) for k, d in zip(kinds, drawn, strict=True)]
    waits = rng.random(len(drawn)) < rng.choice([0, 0.5, 1])
    return at(game, *(slot if one else None for slot, one in zip(slots, waits, strict=True)))


def observe(ask_all, case):
    game, slots = case.arguments
    num_waiting, asked, problems = len(slots) - slots.count(None), [], []

    def evaluate(states) -> tuple[np.ndarray, np.ndarray]:
        is_empty = isinstance(states, State) and not any(map(np.size, states))
        if (kind := kind_of(states)) != ARRAYS and not is_empty:
            problems.append(kind)
            raise TypeError(f"the network got a {kind}")
        asked.append([] if is_empty else list(map(State, *map(np.ndarray.tolist, states))))
        answers = [answer(game, state) for state in asked[-1]]
        priors = np.array([prior for prior, _ in answers]).reshape(-1, game.num_actions)
        return priors, np.array([value for _, value in answers])

    try:
        value = ask_all(list(slots), evaluate)
    except Exception:
        if num_waiting and not problems:
            raise
        value = "an exception"
    unknown = {tuple(state) for states in asked for state in states if state not in slots}
    sizes = [len(states) for states in asked]
    is_one_call = len(sizes) == 1 and 0 < sizes[0] <= num_waiting
    try:
        shapes = (game.num_actions,), ()
        pairs = [entry if entry is None else parts(entry, *shapes) for entry in row(value)]
        kind = "a list of pairs"
    except Unfit:
        pairs, kind = [], f"{show(value):.80}"
    return {
        "the question": (problems or [ARRAYS])[0],
        "positions that no slot holds": show(sorted(unknown)),
        "positions in each call": [num_waiting] if is_one_call else sizes,
        KIND: kind,
        **in_parts(pairs),
    }


def kind_of(states) -> str:
    """What the network is given, in words."""
    if not isinstance(states, State):
        return type(states).__name__
    kinds = [f"{getattr(p, 'dtype', type(p).__name__)} {'[n]' * np.ndim(p)}" for p in states]
    return f"State of {' and '.join(kinds)}"
