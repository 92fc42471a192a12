"""Chapter 12, one call for all: answers as readers could write them."""

import numpy as np

from azlearn.games import State
from tests.course.registry import mutant, right

# --- 12.1 ask_all(waiting, evaluate) ---


def _stacked(states):
    me, opp = np.array(states, dtype=np.int64).T
    return State(me.copy(), opp.copy())


@mutant("12.1", "a batch of one")
def ask_one_by_one(waiting, evaluate):
    answers = []
    for state in waiting:
        if state is None:
            answers.append(None)
            continue
        prior, value = evaluate(_stacked([state]))
        answers.append((prior[0], value[0]))
    return answers


@mutant("12.1", "answers handed to the wrong game")
def ask_and_hand_out_from_the_first_slot(waiting, evaluate):
    states = [state for state in waiting if state is not None]
    answers = [None] * len(waiting)
    if states:
        prior, value = evaluate(_stacked(states))
        for i in range(len(states)):
            answers[i] = prior[i], value[i]
    return answers


@mutant("12.1", "answers handed to the wrong game")
def ask_and_pop(waiting, evaluate):
    states = [state for state in waiting if state is not None]
    if not states:
        return [None] * len(waiting)
    answers = list(zip(*evaluate(_stacked(states)), strict=True))
    return [None if state is None else answers.pop() for state in waiting]


@mutant("12.1", "the slots without a question are left out")
def ask_and_give_only_answers(waiting, evaluate):
    states = [state for state in waiting if state is not None]
    return list(zip(*evaluate(_stacked(states)), strict=True)) if states else []


@mutant("12.1", "values turned to the other player")
def ask_and_negate(waiting, evaluate):
    rows = [i for i, state in enumerate(waiting) if state is not None]
    answers = [None] * len(waiting)
    if rows:
        prior, value = evaluate(_stacked([waiting[i] for i in rows]))
        for i, row in enumerate(rows):
            answers[row] = prior[i], -value[i]
    return answers


@mutant("12.1", "not a State of int64 arrays")
def ask_with_lists(waiting, evaluate):
    states = [state for state in waiting if state is not None]
    return evaluate(State([s.me for s in states], [s.opp for s in states]))


@mutant("12.1", "not a State of int64 arrays")
def ask_with_one_array(waiting, evaluate):
    return evaluate(np.array([state for state in waiting if state is not None]))


@mutant("12.1", "not a State of int64 arrays")
def ask_with_int32(waiting, evaluate):
    states = np.array([state for state in waiting if state is not None], dtype=np.int32)
    return evaluate(State(states[:, 0], states[:, 1]))


@mutant("12.1", "not a State of int64 arrays")
def ask_with_list_of_states(waiting, evaluate):
    return evaluate([state for state in waiting if state is not None])


@mutant("12.1", "asked although nobody waits")
def ask_always(waiting, evaluate):
    rows = [i for i, state in enumerate(waiting) if state is not None]
    me = np.array([waiting[i].me for i in rows], dtype=np.int64)
    opp = np.array([waiting[i].opp for i in rows], dtype=np.int64)
    prior, value = evaluate(State(me, opp))
    answers = [None] * len(waiting)
    for i, row in enumerate(rows):
        answers[row] = prior[i], value[i]
    return answers


@mutant("12.1", "an empty slot is asked about")
def ask_about_every_slot(waiting, evaluate):
    prior, value = evaluate(_stacked([state or State(0, 0) for state in waiting]))
    return [None if state is None else (prior[i], value[i]) for i, state in enumerate(waiting)]


@mutant("12.1", "me and opp exchanged")
def ask_for_the_opponent(waiting, evaluate):
    rows = [i for i, state in enumerate(waiting) if state is not None]
    answers = [None] * len(waiting)
    if rows:
        prior, value = evaluate(State(*_stacked([waiting[i] for i in rows])[::-1]))
        for i, row in enumerate(rows):
            answers[row] = prior[i], value[i]
    return answers


@mutant("12.1", "not a list of pairs")
def ask_and_give_the_arrays(waiting, evaluate):
    states = [state for state in waiting if state is not None]
    return evaluate(_stacked(states))


@mutant("12.1", "not a list of pairs")
def ask_for_values_only(waiting, evaluate):
    states = [state for state in waiting if state is not None]
    values = iter(evaluate(_stacked(states))[1] if states else ())
    return [None if state is None else next(values) for state in waiting]


@mutant("12.1", "no named fault")
def ask_and_mix_prior(waiting, evaluate):
    rows = [i for i, state in enumerate(waiting) if state is not None]
    answers = [None] * len(waiting)
    if rows:
        prior, value = evaluate(_stacked([waiting[i] for i in rows]))
        for i, row in enumerate(rows):
            answers[row] = prior[0], value[i]
    return answers


@mutant("12.1", "returns nothing")
def ask_no_return(waiting, evaluate):
    states = [state for state in waiting if state is not None]
    if states:
        evaluate(_stacked(states))


@right("12.1")
def ask_with_an_iterator(waiting, evaluate):
    states = list(filter(None, waiting))
    if not states:
        return [None for _ in waiting]
    me, opp = (np.fromiter(side, np.int64) for side in zip(*states, strict=True))
    answers = zip(*evaluate(State(me, opp)), strict=True)
    return [None if state is None else next(answers) for state in waiting]


@right("12.1")
def ask_each_position_once(waiting, evaluate):
    asked = list(dict.fromkeys(state for state in waiting if state is not None))
    if not asked:
        return list(waiting)
    prior, value = evaluate(_stacked(asked))
    found = {state: (prior[i].tolist(), float(value[i])) for i, state in enumerate(asked)}
    return tuple(found.get(state) for state in waiting)
