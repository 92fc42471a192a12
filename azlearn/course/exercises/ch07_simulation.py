"""Chapter 7, one simulation (7.5): what the root should hold after some stands in ``apv_cases``."""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.apv_cases import FAULTY, Answers, new_root, root_after, simulation_cases
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, form_statistics
from azlearn.course.puct_cases import root_statistics
from azlearn.course.sections import explained_for
from azlearn.course.your_apv import EXPAND_THRESHOLD, C, right_apv, right_prior
from azlearn.course.your_apv import stand_in_logits as _logits
from azlearn.course.your_apv import stand_in_mix as _mix
from azlearn.course.your_puct import GAME, NUM_SIMULATIONS, START, puct_consequence
from azlearn.search import Node, Tree, puct

_LARGE_SCORE = 9.0  # of illegal moves: nobody may look at it


class AskedAtTheEnd(Exception):
    """The policy was asked about a finished game."""


class EvaluatedAtTheEnd(Exception):
    """A finished game was evaluated."""


class NotExpanded(Exception):
    """Scores were asked for at a node without a prior."""


_MESSAGES = {
    "expanded at once, whatever the threshold": "A node's first visits only evaluate it; the policy "
    "is asked by the visit that is above the threshold (exercise 7.3).",
    "expanded one visit late": "The visit under way counts: N + 1 > threshold, before the backup "
    "(exercise 7.3).",
    "expanded one visit early": "N + 1 must be *above* the threshold (exercise 7.3).",
    "counted on the parent": "The visits that count are those of the edge to the leaf, not of all "
    "moves beside it (exercise 7.3).",
    "evaluated once only": "A rollout is a new one at every visit: ask `evaluate` each time the "
    "simulation ends at a node, also where it has been before.",
    "walks on in the visit that expands": "The visit that expands a node ends there, evaluates it and "
    "goes home. The next one goes on below.",
    "the visit that expands has no value": "A node is expanded *and* evaluated in the same visit: "
    "two questions, to two networks.",
    "value not negated at backup": "What is good for one player is bad for the other (exercise 7.4, "
    "without the virtual loss).",
    "the sign starts on the wrong side": "Already the last edge belongs to the other player than the "
    "leaf.",
    "flips although the same player moves again": "Negate only where `to_play` changes.",
    "finished game valued for the wrong player": "`outcome` speaks for the player to move at the leaf, "
    "as `evaluate` does.",
    "finished game counted as 0": "A finished leaf is worth what the rules say, not 0.",
    "of equal scores the last is taken": "Both are fair; here, of equal scores take the first, so that "
    "searches can be compared.",
    "never goes below the first move": "Go on selecting while the node is there and expanded.",
}
_FAULTS = tuple(
    Fault(
        name,
        lambda *arguments, search=search: root_statistics(root_after(*arguments, search=search)),
        f"after {{case}}, the root should hold {{right}}; yours holds {{yours}}. {_MESSAGES[name]}",
    )
    for name, search in FAULTY.items()
)


class _Slots:
    """What a simulation is given, watched."""

    def __init__(self, c: float, policy: Any, value: Any) -> None:
        self._scores, self._policy, self._answers = puct(c), policy, Answers(value)
        self.asked: list[Any] = []

    def select(self, node: Node) -> np.ndarray:
        if node.prior is None:
            raise NotExpanded
        scores = np.array(self._scores(node))
        scores[[a for a in range(len(scores)) if a not in node.legal_actions]] = _LARGE_SCORE
        return scores

    def policy(self, game: Any, state: Any) -> list[float]:
        if game.outcome(state) is not None:
            raise AskedAtTheEnd
        self.asked.append(state)
        return list(self._policy(game, state)[0])

    def evaluate(self, game: Any, state: Any) -> float:
        if game.outcome(state) is not None:
            raise EvaluatedAtTheEnd(game.outcome(state))
        return self._answers(game, state)


@explained_for("7.5")
def check_simulation(call: Call) -> str:
    cases = simulation_cases()
    given = [_root_after(call, case) for case in cases]
    compare(cases, given, _FAULTS, form=form_statistics)
    return (
        "Visit for visit the search of the package: by hand on the probes, by engine beyond. The "
        "policy is asked once a node, and only where the search comes back."
    )


def _root_after(call: Call, case: Case) -> tuple[list[int], list[float]]:
    game, state, num_simulations, threshold, policy, value = case.arguments
    root, slots = new_root(game, state, policy), _Slots(1.0, policy, value)
    for number in range(1, num_simulations + 1):
        shown = f"simulation {number} of {case.shown}"
        answer, problem = call.attempt(
            game, root, slots.select, slots.policy, slots.evaluate, threshold, shown=shown
        )
        _check_illegal(root, shown)
        _check_problem(problem, shown)
        call.settle(answer, problem, may_return_none=True)
        _check_nodes(root, slots.asked, shown)
    return root_statistics(root)


def _check_problem(problem: BaseException | None, shown: str) -> None:
    if isinstance(problem, NotExpanded):
        raise Wrong(
            "selects in a node that is not expanded",
            f"In {shown}, your function asked for the scores of a node without a prior. Below the "
            "threshold a node is in the tree and has no prior yet: the walk ends there.",
        )
    if isinstance(problem, AskedAtTheEnd):
        raise Wrong(
            "policy asked about a finished game",
            f"In {shown}, your function asked the policy about a position where the game is over: "
            "there is no move left. A finished node is never expanded.",
        )
    if isinstance(problem, EvaluatedAtTheEnd):
        drawn = problem.args[0] == 0
        raise Wrong(
            "a draw is taken for no result" if drawn else "a finished game is evaluated",
            f"In {shown}, your function asked `evaluate` about a position where the game is over. "
            + (
                "`if leaf.outcome:` is false for a draw, 0, too: ask whether it `is not None`."
                if drawn
                else "If `leaf.outcome` is not None, the rules have decided."
            ),
        )


def _check_illegal(root: Node, shown: str) -> None:
    for node in _nodes(root):
        for action, n in enumerate(node.visit_counts):
            followed = n or node.children[action] is not None
            if followed and node.outcome is None and action not in node.legal_actions:
                raise Wrong(
                    "an illegal move is followed",
                    f"In {shown}, your function followed action {action}, which is illegal there. The "
                    "scores of illegal moves mean nothing: choose among `node.legal_actions`.",
                )


def _check_nodes(root: Node, asked: list[Any], shown: str) -> None:
    """Raise Wrong if a node or a prior was not kept, or the policy was asked too often."""
    if not any(root.children):
        raise Wrong(
            "the new node is not kept",
            f"After {shown}, no node hangs below the root. Put it behind its edge, "
            "`node.children[action] = …`, or every simulation starts from nothing.",
        )
    expanded = sum(node.prior is not None for node in _nodes(root)) - 1  # not the root
    if len(asked) > expanded:
        if expanded == 0:
            raise Wrong(
                "the policy's answer is not kept",
                f"After {shown}, the policy was asked, and no node below the root has a prior. Keep "
                "its answer: `leaf.prior = policy(game, leaf.state)`.",
            )
        raise Wrong(
            "the policy is asked again",
            f"After {shown}, the policy was asked {len(asked)} times; nodes with a prior below the root: "
            f"{expanded}. It is the slow network: once a node, by the visit that expands it.",
        )


def _nodes(node: Node) -> list[Node]:
    below = [child for child in node.children if isinstance(child, Node)]
    return [node, *(inner for child in below for inner in _nodes(child))]


def explore_simulation(call: Call, diagnosis: str) -> Tree:
    """200 of the reader's simulations, with the stand-in for both networks and for the rollouts."""
    root, scores = Node(GAME, START), puct(C)
    root.prior = right_prior(_logits(START))
    mix = _mix()
    for _ in range(NUM_SIMULATIONS):
        call.quietly(
            GAME,
            root,
            lambda node: np.array(scores(node)),
            lambda game, state: right_prior(_logits(state)),
            mix,
            EXPAND_THRESHOLD,
        )
    return Tree(GAME, root)


EXERCISES = (
    Exercise(
        id="7.5",
        title="One simulation of AlphaGo",
        minutes=20,
        difficulty=3,
        function="simulate(game, root, select, policy, evaluate, expand_threshold)",
        check=check_simulation,
        explore=explore_simulation,
        remark=lambda found: puct_consequence(found, right_apv()),
        diagnoses=(
            *FAULTY,
            "selects in a node that is not expanded",
            "policy asked about a finished game",
            "a finished game is evaluated",
            "a draw is taken for no result",
            "an illegal move is followed",
            "the new node is not kept",
            "the policy's answer is not kept",
            "the policy is asked again",
        ),
        hints=(
            "A node can now be in one of three states: not there, there without a prior, there with "
            "one. Where does the walk end, and what is asked at its end?",
            "Walk while the node is there, not finished and `node.prior is not None`. If it is missing: "
            "`parent.children[action] = Node(game, game.next_state(parent.state, action))`. Ask the policy if 7.3 says so, and `evaluate` in any case but a finished game.",
            "In near-code:\n\n"
            "    path, node = [], root\n"
            "    while node is there, its outcome is None and it has a prior:\n"
            "        action = the legal one with the highest score\n"
            "        path.append((node, action)); node = node.children[action]\n"
            "    leaf = node, or a new child behind path[-1]\n"
            "    if 7.3 says yes: leaf.prior = policy(game, leaf.state)\n"
            "    value = leaf.outcome, or evaluate(game, leaf.state) if that is None\n"
            "    back up: one visit and the value to every edge, with the sign",
        ),
    ),
)
