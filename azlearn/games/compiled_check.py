"""Whether a game's rules say the same compiled: part of the conformance suite."""

import re

from azlearn.games.variant import variant

PLAIN = (
    "They may use plain functions, whole numbers, and tuples or arrays of these; no list, no dict,"
    " no decorator, no **."
)
QUESTIONS = ("play", "is_legal", "outcome", "to_play")


def compiled_fault(rules, states: list, actions: list[int]) -> str:
    """What is wrong with the compiled form of some rules, in a sentence; "" if nothing is.

    Args:
        rules: a rules module, see ``RulesGame``.
        states: positions, in which the game goes on.
        actions: a legal one for each.
    """
    import numba  # takes a second, and a game is checked once

    try:
        compiled = variant(rules, numba.njit)
        compiled.outcome(states[0]), compiled.to_play(states[0])
        compiled.play(states[0], actions[0])
        compiled.is_legal(compiled.options(states[0]), actions[0])
    except Exception as error:  # of numba's own kinds, or a bare AssertionError of its inside
        why = re.sub(r"Failed in nopython mode pipeline \(step: [^)]*\)", "", str(error))
        why = " ".join(why.split())
        return f"The rules cannot be compiled by numba: {why or type(error).__name__:.300}. {PLAIN}"
    for state, action in zip(states, actions, strict=True):
        for question in QUESTIONS:
            plain, found = (_asked(form, question, state, action) for form in (rules, compiled))
            if plain != found:
                return (
                    f"Compiled, the rules' {question} says {found} of {state!r} where it says"
                    f" {plain} on Python's numbers: do they stay within 64 bits, and shifts below"
                    " 64?"
                )
    return ""


def _asked(rules, question: str, state, action: int):
    """The answer of one form of the rules, as plain numbers."""
    if question == "play":
        return tuple(map(int, rules.play(state, action)))
    if question == "is_legal":
        options = rules.options(state)
        return [bool(rules.is_legal(options, a)) for a in range(rules.NUM_ACTIONS)]
    if question == "outcome":
        return tuple(map(float, rules.outcome(state)))
    return int(rules.to_play(state))
