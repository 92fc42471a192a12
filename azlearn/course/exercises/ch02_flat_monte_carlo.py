"""Chapter 2, flat Monte Carlo (2.2): a scripted rollout, whose sums are done by hand."""

from __future__ import annotations

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import (
    UNRECOGNISED,
    Case,
    Fault,
    as_list,
    compare,
    form_statistics,
    show,
)
from azlearn.course.probe_games import P2, P5, P6
from azlearn.course.sections import explained_for

# The scripted rollout: the k-th rollout from a position gives the k-th of these, for the player to
# move there. (P2, P5 and P6 by position number; see probe_games.)
_SCRIPT = {
    (P2, 1): (1, 1, 1, 1),
    (P2, 2): (1, 0, -1, 1),
    (P5, 1): (1, 0, 1, 1),
    (P6, 1): (1, 1, 0, 1),
    (P6, 2): (0, 1, 0, 0),
}
# With four rollouts a move, by hand: the sum of the script, negated where the other player moves.
_FLAT_RIGHT = (
    (P2, ([4, 4], [-4, -1])),
    (P5, ([0, 0, 0, 0, 4, 0, 0], [0, 0, 0, 0, -3, 0, 0])),
    (P6, ([4, 4], [3, -1])),
)


class _ScriptedRollout:
    """A rollout without chance; remembers which positions it was asked about."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, game, state, rng) -> int:
        values = _SCRIPT.get((game, state.me), (0, 0, 0, 0))
        number = self.asked.count(state.me)
        self.asked.append(state.me)
        return values[number % 4]


def _flat_fault(game, *, flip="turn", entry=sum, visits=4, count=4) -> tuple[list, list]:
    """Flat Monte Carlo with one knob turned."""
    start = game.initial_state()
    counts, sums = [0] * game.num_actions, [0] * game.num_actions
    for action in game.legal_actions(start):
        child = game.next_state(start, action)
        values = _SCRIPT[game, child.me][:count]
        other = game.to_play(child) != game.to_play(start)
        sign = {"turn": -1 if other else 1, "never": 1, "always": -1}[flip]
        counts[action], sums[action] = visits, sign * entry(values)
    return counts, sums


def _by_position_in_list(game) -> tuple[list, list]:
    counts, sums = _flat_fault(game)
    legal = game.legal_actions(game.initial_state())
    filled = len(legal)
    empty = [0] * (game.num_actions - filled)
    return [counts[a] for a in legal] + empty, [sums[a] for a in legal] + empty


def _shared_budget(game) -> tuple[list, list]:
    share = 4 // len(game.legal_actions(game.initial_state()))
    return _flat_fault(game, visits=share, count=share)


_FLAT_FAULTS = (
    Fault(
        "value not negated",
        lambda g: _flat_fault(g, flip="never"),
        "for {case} you gave {yours} instead of {right}. A rollout from the child is worth its "
        "value to the player to move *there*; if that is the opponent, you get the negative.",
    ),
    Fault(
        "negated although the same player moves again",
        lambda g: _flat_fault(g, flip="always"),
        "for {case} you gave {yours} instead of {right}. After move 0 the same player is to "
        "move again: nothing changes hands, so nothing changes sign. Compare `game.to_play`.",
    ),
    Fault(
        "means instead of sums",
        lambda g: _flat_fault(g, entry=lambda values: sum(values) / 4),
        "for {case} you gave {yours} instead of {right}. Keep sums: the mean is "
        "value_sum / visit_counts, and sums can be added to later.",
    ),
    Fault(
        "keeps the last rollout only",
        lambda g: _flat_fault(g, entry=lambda values: values[-1]),
        "for {case} you gave {yours} instead of {right}. Add to the entry (`+=`), do not replace "
        "it (`=`).",
    ),
    Fault(
        "indexed by position in the list",
        _by_position_in_list,
        "for {case} you gave {yours} instead of {right}. The entry's index is the *action*, not "
        "its place among the legal ones.",
    ),
    Fault(
        "one rollout a move",
        lambda g: _flat_fault(g, visits=1, count=1),
        "for {case} you gave {yours} instead of {right}: one rollout a move where "
        "num_rollouts = 4 were asked for.",
    ),
    Fault(
        "budget shared among the moves",
        _shared_budget,
        "for {case} you gave {yours} instead of {right}. num_rollouts is the number for *each* "
        "legal move.",
    ),
    Fault(
        "visits not counted",
        lambda g: ([0] * g.num_actions, _flat_fault(g)[1]),
        "for {case} you gave {yours} instead of {right}. Every rollout adds 1 to visit_counts.",
    ),
    Fault(
        "the two lists are swapped",
        lambda g: _flat_fault(g)[::-1],
        "for {case} you gave {yours} instead of {right}: first visit_counts, then value_sum.",
    ),
)


@explained_for("2.2")
def check_flat_monte_carlo(call: Call) -> str:
    cases, given = [], []
    for game, right in _FLAT_RIGHT:
        rollout = _ScriptedRollout()
        shown = f"{game.name} (4 rollouts a move)"
        value = call(game, game.initial_state(), 4, rollout, np.random.default_rng(0), shown=shown)
        if rollout.asked and set(rollout.asked) == {0}:
            raise Wrong(
                "rollouts from the parent",
                "Every rollout started at the position before the move, so that all moves look "
                "alike. Play the move first, then roll out from the child.",
            )
        pair = as_list(value)
        if pair is None or len(pair) != 2:
            raise Wrong(
                UNRECOGNISED,
                f"On {shown}, a pair (visit_counts, value_sum) is asked for; yours is "
                f"`{show(value)}`.",
            )
        num_legal = len(game.legal_actions(game.initial_state()))
        if len(as_list(pair[0]) or []) == num_legal == 1 < game.num_actions:
            raise Wrong(
                "one entry per legal move",
                f"On {shown}, your lists have 1 entry; they need num_actions = "
                f"{game.num_actions}, with 0 for the illegal moves, so that the index is the "
                "action.",
            )
        cases.append(Case(shown, (game,), right))
        given.append(pair)
    compare(cases, given, _FLAT_FAULTS, form=form_statistics)
    return "Equal effort for every move, each seen from the side of the player who chooses."


EXERCISES = (
    Exercise(
        id="2.2",
        title="Flat Monte Carlo",
        minutes=12,
        difficulty=2,
        function="flat_monte_carlo(game, state, num_rollouts, rollout, rng)",
        check=check_flat_monte_carlo,
        diagnoses=(
            *(fault.name for fault in _FLAT_FAULTS),
            "rollouts from the parent",
            "one entry per legal move",
        ),
        hints=(
            "Play each legal move, roll out from the position behind it, and book the result "
            "with the player who *chose* the move.",
            "`rollout(game, child, rng)` speaks for the player to move at the child. Negate it "
            "if `game.to_play(child) != game.to_play(state)`.",
            "In near-code:\n\n"
            "    two lists of num_actions zeros\n"
            "    for each legal action, num_rollouts times:\n"
            "        value = rollout from the child, negated if the other player moves there\n"
            "        visit_counts[action] += 1\n"
            "        value_sum[action] += value",
        ),
    ),
)
