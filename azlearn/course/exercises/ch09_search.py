"""Chapter 9, the whole search (9.6): what its root should hold stands in ``puct_cases``."""

from __future__ import annotations

from typing import Any

from azlearn.course import faulty_searches as faulty
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, compare, form_statistics, same, show
from azlearn.course.puct_cases import (
    AskedAtTheEnd,
    root_of_search,
    root_statistics,
    search_cases,
    turned_over,
)
from azlearn.course.sections import explained_for
from azlearn.course.your_puct import GAME, NUM_SIMULATIONS, START, C, puct_consequence, stand_in
from azlearn.course.your_search import TWICE
from azlearn.search import Node, Tree, puct, uct


def _fault(name: str, message: str, **parts: Any) -> Fault:
    return Fault(name, lambda *arguments: root_statistics(root_of_search(*arguments, **parts)),
                 f"for {{case}}, the root should hold {{right}}; yours holds {{yours}}. {message}")  # fmt: skip


_FAULTS = (
    _fault(
        "√0 at the root",
        "At a node without visits √ΣN is 0 and the prior counts for nothing: take 1 (exercise 9.2).",
        rule=faulty.without_a_floor,
    ),
    _fault(
        "value not negated at backup",
        "What is good for one player is bad for the other (exercise 9.1).",
        search=faulty.WrongSign,
    ),
    _fault(
        "the sign starts on the wrong side",
        "Already the last edge belongs to the other player than the leaf (exercise 9.1).",
        search=faulty.FlipsLate,
    ),
    _fault(
        TWICE,
        "Negate only where `to_play` changes (exercise 9.1).",
        search=faulty.FlipsAlways,
    ),
    _fault(
        "finished game valued for the wrong player",
        "`outcome` speaks for the player to move at the leaf, as the network does.",
        search=faulty.EndingForTheOther,
    ),
    _fault(
        "finished game counted as 0",
        "A finished leaf is worth what the rules say, not 0.",
        search=faulty.EndingIsZero,
    ),
    _fault(
        "the mixed prior is not used",
        "`mix` was asked, but the search went by the network's own prior: put what it gives back "
        "into `root.prior`, *before* the first simulation.",
        noise=None,
    ),
    _fault(
        "UCT's rule, without the prior",
        "Those are the visits of UCT. The prior must hand out the bonus (exercise 9.2).",
        rule=uct,
    ),
    _fault(
        "unvisited moves first",
        "A move without visits has Q = 0, not an infinite score: with a network most moves are never "
        "tried.",
        rule=faulty.unvisited_first,
    ),
    _fault("c is ignored", "Those are the visits of c = 1.", search=faulty.with_rule(puct(1.0))),
    _fault("no exploration", "Those are the visits of c = 0.", search=faulty.with_rule(puct(0.0))),
    _fault(
        "one simulation goes to the root",
        "The root is evaluated before the first simulation; that counts for none.",
        search=faulty.with_simulations(-1),
    ),
    _fault(
        "one simulation too many",
        "num_simulations = n means n visits at the root.",
        search=faulty.with_simulations(1),
    ),
    _fault(
        "never goes below the first move",
        "Go on selecting while there is a node behind the chosen move.",
        search=faulty.StaysShallow,
    ),
    _fault(
        "of equal scores the last is taken",
        "Both are fair; here, of equal scores take the first, so that searches can be compared.",
        search=faulty.TakesTheLast,
    ),
)  # fmt: skip


@explained_for("9.6")
def check_search(call: Call) -> str:
    cases, given, mixed_in = list(search_cases()), [], []
    for case in cases:
        game, state, num_simulations, c, answer = case.arguments
        asked, mixed = [], []

        def evaluate(game: Any, at: Any, answer=answer, asked=asked) -> tuple[list[float], float]:
            asked.append(at)
            return answer(game, at)

        def mix(prior: Any, legal_actions: Any, mixed=mixed) -> list[float]:
            mixed.append((list(prior), list(legal_actions)))
            return turned_over(list(prior), list(legal_actions))

        value, problem = call.attempt(
            game, state, num_simulations, c, evaluate, mix, shown=case.shown
        )
        if isinstance(problem, AskedAtTheEnd):
            raise Wrong(
                "network asked about a finished game",
                f"On {case.shown}, your search asked the network about a position whose game is "
                "over. If `outcome` is not None, that is the value.",
            )
        root = _root(call.settle(value, problem), state, case.shown)
        _check_asked(root, asked, case.shown)
        mixed_in.append((case, mixed))
        given.append(root_statistics(root))
    _check_below(mixed_in)
    for case, mixed in mixed_in:
        _check_mixed(case, mixed)
    compare(cases, given, _FAULTS, form=form_statistics)
    return (
        "Visit for visit the search of the package: by hand on the probes, by engine beyond. The "
        "network is asked once a node, the noise once a search."
    )


def _check_asked(root: Node, asked: list, shown: str) -> None:
    """Raise Wrong unless the network was asked once about every node that goes on."""
    if root.state not in asked:
        raise Wrong(
            "the root is never evaluated",
            f"On {shown}, the network was never asked about the root. Without its prior the first "
            "simulation cannot choose.",
        )
    num_nodes = _num_going_on(root)
    if len(asked) > num_nodes:
        raise Wrong(
            "the network is asked twice about a node",
            f"On {shown}, the network was asked {len(asked)} times, and the tree has {num_nodes} nodes "
            "whose game goes on. A node is evaluated once, when it joins.",
        )


def _num_going_on(node: Node) -> int:
    below = sum(_num_going_on(child) for child in node.children if child is not None)
    return below + (node.outcome is None)


def _check_below(mixed_in: list) -> None:
    """Raise Wrong if the noise was mixed into another node than the root."""
    for case, mixed in mixed_in:
        game, state = case.arguments[:2]
        elsewhere = [legal for _, legal in mixed if legal != game.legal_actions(state)]
        if elsewhere:
            raise Wrong(
                "noise below the root",
                f"On {case.shown}, `mix` was called {len(mixed)} times, once with the legal moves "
                f"{elsewhere[0]}: that is another node. Below the root the network's prior stays as "
                "it is: chance must not hide the opponent's best replies.",
            )


def _check_mixed(case: Case, mixed: list) -> None:
    """Raise Wrong unless the noise was mixed in once, into the network's prior."""
    game, state, *_, answer = case.arguments
    if not mixed:
        raise Wrong(
            "no noise", f"On {case.shown}, `mix` was never called: once, for the root's prior."
        )
    if not same(mixed[0][0], answer(game, state)[0]):
        raise Wrong(
            "noise in another prior",
            f"On {case.shown}, `mix` was given {show(mixed[0][0])}; the network's prior at the root is "
            f"{show(answer(game, state)[0])}.",
        )
    if len(mixed) > 1:
        raise Wrong(
            "noise more than once a search",
            f"On {case.shown}, `mix` was called {len(mixed)} times. Once a search: noise drawn anew in "
            "every simulation averages out, and mixed in again and again it wipes out the prior.",
        )


def _root(value: Any, state: Any, shown: str) -> Node:
    root = getattr(value, "root", value)
    if not isinstance(root, Node):
        raise Wrong(
            "not the root",
            f"On {shown}, you gave back {show(value):.80} (a {type(value).__name__}). Give back the "
            "root node: it holds the visits, and the tree hangs below it.",
        )
    if root.state != state:
        raise Wrong(
            UNRECOGNISED,
            f"On {shown}, the node you gave back is not the one of the position to search.",
        )
    return root


def explore_search(call: Call, diagnosis: str) -> Tree:
    """The reader's search with the stand-in; the noise changes nothing there."""
    arguments = (GAME, START, NUM_SIMULATIONS, C, stand_in, lambda prior, legal_actions: prior)
    return Tree(GAME, _root(call.quietly(*arguments), START, "the position below"))


EXERCISES = (
    Exercise(
        id="9.6",
        title="The whole search",
        minutes=20,
        difficulty=3,
        function="puct_search(game, state, num_simulations, c, evaluate, mix)",
        check=check_search,
        explore=explore_search,
        remark=puct_consequence,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "network asked about a finished game",
            "the root is never evaluated",
            "the network is asked twice about a node",
            "no noise",
            "noise below the root",
            "noise in another prior",
            "noise more than once a search",
            "not the root",
        ),
        hints=(
            "Before the first simulation the root needs a prior, and only the root's is mixed. After "
            "that every simulation is a walk, a question and a backup.",
            "Ask `evaluate` about the root, `root.prior = mix(root.prior, root.legal_actions)`; then "
            "num_simulations times: select with 9.2, expand, 9.1.",
            "In near-code:\n\n"
            "    root = Node(game, state); its prior and raw_value from evaluate\n"
            "    root.prior = mix(root.prior, root.legal_actions)\n"
            "    num_simulations times:\n"
            "        path, node = [], root\n"
            "        while node is not None and node.outcome is None:\n"
            "            action = the legal one with the highest PUCT score (9.2)\n"
            "            path.append((node, action)); node = node.children[action]\n"
            "        leaf = node, or a new child behind path[-1]\n"
            "        evaluate the leaf and back up (9.1)\n"
            "    return root",
        ),
    ),
)
