"""Chapter 12, one step of many games (12.2): a simulation in each, one question for all.

The truth is what ``MCTS`` makes of each game alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, form_statistics
from azlearn.course.sections import explained_for
from azlearn.games import State, TicTacToe
from azlearn.search import MCTS, Evaluation, Node, puct
from azlearn.search.evaluators import hash_bits, hash_value

GAME = TicTacToe()
# What each game is, its moves so far, and the simulations that it has left.
GAMES = (
    ("the empty board", "", 6),
    ("X wins with 3", "1425", 9),
    ("the search that is complete", "59", 0),
    ("the game that has two cells left and can only be drawn", "1324657", 7),
    ("O to move, in the middle of a game", "528", 8),
)


def answer(state: State) -> tuple[list[float], float]:
    """(prior [9], value) of a position: arbitrary, but the same each time."""
    bits, legal = hash_bits(*state), GAME.legal_actions(state)
    shares = [((bits >> (3 * a)) & 7) + 1 if a in legal else 0 for a in range(9)]
    total = sum(shares) or 1
    return [share / total for share in shares], hash_value(*state)


def make_search() -> MCTS:
    return MCTS(GAME, puct(), lambda game, state, rng: Evaluation(*answer(state)))


def fresh_roots() -> list[Node]:
    """One node a game, evaluated; that of the complete search has visits already."""
    roots, search = [], make_search()
    for _, moves, num_left in GAMES:
        state = GAME.from_moves(moves)
        root = Node(GAME, state)
        root.prior, root.raw_value = answer(state)
        roots.append(root if num_left else search.run(state, 5).root)
    return roots


def statistics(node: Node) -> tuple[list, list]:
    """(N, W) of every node below, and of this one, in two lists of lists."""
    n, w = [list(node.visit_counts)], [[float(x) for x in node.value_sum]]
    for child in node.children:
        if child is not None and child.prior is not None:
            below = statistics(child)
            n, w = n + below[0], w + below[1]
    return n, w


def cases() -> list[Case]:
    """One a game; right: what MCTS makes of it alone."""
    made = []
    for i, (words, moves, num_left) in enumerate(GAMES):
        tree = make_search().run(GAME.from_moves(moves), num_left or 5)
        made.append(Case(words, (i,), statistics(tree.root)))
    return made


class Ask:
    """Answers lists of positions, and counts."""

    def __init__(self) -> None:
        self.calls: list[list[State]] = []

    def __call__(self, states: Any) -> list[tuple[list[float], float]]:
        states = list(states)
        self.calls.append(states)
        return [answer(state) for state in states]


def play(step: Callable, after_step: Callable = lambda *_: None) -> list[tuple[list, list]]:
    """The trees after as many steps as the longest search needs, and one more."""
    search, roots, left = make_search(), fresh_roots(), [num_left for *_, num_left in GAMES]
    for _ in range(max(left) + 1):
        ask, before = Ask(), list(left)
        step(search, roots, left, ask)
        after_step(ask, before, left, roots)
    return [statistics(root) for root in roots]


# --- wrong steps ---------------------------------------------------------------------------------


def _wrong_step(
    *,
    keep: Callable = lambda answers: answers,
    value: Callable = lambda leaf: leaf.raw_value if leaf.outcome is None else leaf.outcome,
    books: Callable = lambda leaf: True,
) -> Callable:
    """A step with one part replaced."""

    def step(search, roots, left, ask):
        leaves = []
        for i, root in enumerate(roots):
            if left[i]:
                left[i] -= 1
                leaves += search.expand_leaf(*search.descend(root))
        waiting = [leaf for _, leaf in leaves if leaf.outcome is None]
        if waiting:
            answers = keep(ask([leaf.state for leaf in waiting]))
            for leaf, (prior, v) in zip(waiting, answers, strict=True):
                legal = [p if a in leaf.legal_actions else 0.0 for a, p in enumerate(prior)]
                leaf.prior, leaf.raw_value = legal, v
        for path, leaf in leaves:
            if books(leaf):
                search.backup(path, leaf, value(leaf))

    return step


def _rotated(answers: list) -> list:
    return answers[1:] + answers[:1]


_FAULTS = tuple(
    Fault(
        name,
        lambda i, step=step: play(step)[i],
        "in {case}, the tree is another than a search alone would grow. " + message,
    )
    for name, step, message in (
        (
            "answers handed to the wrong game",
            _wrong_step(keep=_rotated),
            "Answer i belongs to the i-th leaf that you asked about.",
        ),
        (
            "answers handed to the wrong game",
            _wrong_step(keep=lambda answers: answers[::-1]),
            "Answer i belongs to the i-th leaf that you asked about.",
        ),
        (
            "a finished leaf is not backed up",
            _wrong_step(books=lambda leaf: leaf.outcome is None),
            "A leaf where the game is over needs no network, but its path gets a visit and its "
            "result: `leaf.outcome`. Otherwise a win is never seen.",
        ),
        (
            "finished leaves count as 0",
            _wrong_step(value=lambda leaf: leaf.raw_value if leaf.outcome is None else 0.0),
            "The rules know the value of a finished game: `leaf.outcome`.",
        ),
        (
            "finished game valued for the wrong player",
            _wrong_step(
                value=lambda leaf: leaf.raw_value if leaf.outcome is None else -leaf.outcome
            ),
            "`leaf.outcome` is for the player to move at the leaf, as the network's value is.",
        ),
        (
            "the sign is turned twice",
            _wrong_step(value=lambda leaf: -(leaf.outcome or leaf.raw_value or 0.0)),
            "`search.backup` takes the value for the player to move at the leaf, and turns the "
            "sign itself.",
        ),
    )
)


@explained_for("12.2")
def check_step(call: Call) -> str:
    def step(search, roots, left, ask):
        before = [statistics(root) for root in roots]
        budgets = list(left)
        value, problem = call.attempt(search, roots, left, ask, shown=_shown(left))
        _check_spent(before, budgets, roots)
        if problem is not None:
            _check_kept(roots)
            call.settle(value, problem, may_return_none=True)

    given = play(step, _check_asked)
    compare(cases(), given, _FAULTS, form=_root)
    return "Every game has the tree that it would have alone, for one call a step."


def _shown(left: list[int]) -> str:
    return f"five games with {left} simulations left"


def _root(pair: tuple) -> str:
    return f"{len(pair[0])} nodes, at the root {form_statistics((pair[0][0], pair[1][0]))}"


def _check_asked(ask: Ask, before: list[int], left: list[int], roots: list[Node]) -> None:
    if any(GAME.outcome(state) is not None for states in ask.calls for state in states):
        over = [s for states in ask.calls for s in states if GAME.outcome(s) is not None]
        drawn = GAME.outcome(over[0]) == 0
        raise Wrong(
            "a draw is taken for no result" if drawn else "network asked about a finished game",
            f"With {before} simulations left, a position was asked about where the game is over. "
            + (
                "`if leaf.outcome:` is false for a draw, 0, too: ask whether it `is None`."
                if drawn
                else "Where `leaf.outcome` is not None the rules have decided."
            ),
        )
    if len(ask.calls) > 1 and all(len(states) <= 1 for states in ask.calls):
        raise Wrong(
            "a batch of one",
            f"With {before} simulations left, you asked {len(ask.calls)} times about one position. "
            "Take every game to its leaf first, then ask about all leaves at once.",
        )
    if not all(ask.calls):
        raise Wrong(
            "asked although nobody waits",
            f"With {before} simulations left, you asked about no position at all. A call takes its "
            "time even then: look first whether a leaf waits.",
        )
    _check_kept(roots)
    expected = [max(n - 1, 0) for n in before]
    if left == before and any(before):
        raise Wrong(
            "the budget is not counted down",
            f"Before the step `left` was {before}, and so it was after it: the search never ends. "
            "Every simulation takes one off its game's number.",
        )
    if left != expected:
        raise Wrong(
            "the budget is counted wrongly",
            f"Before the step `left` was {before}; after it {expected} is right, one less wherever "
            f"a simulation was run, also when it ended in a finished game. Yours is {left}.",
        )


def _check_spent(before: list, budgets: list[int], roots: list[Node]) -> None:
    for i, (words, *_) in enumerate(GAMES):
        if not budgets[i] and statistics(roots[i]) != before[i]:
            raise Wrong(
                "simulations spent on a game that is done",
                f"The tree of game {i}, {words}, has changed although it has no simulation left. "
                "In a batch that is the expensive fault: nobody looks at what the network then "
                "says.",
            )


def _check_kept(roots: list[Node]) -> None:
    """Every node of the trees has its prior."""
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node.outcome is None and (node.prior is None or node.raw_value is None):
            raise Wrong(
                "the answer is not kept in the leaf",
                "After the step a node has no prior, or no `raw_value`. The next simulation "
                "through it cannot choose: `leaf.prior, leaf.raw_value = …`, to each its own.",
            )
        waiting += [child for child in node.children if child is not None]


EXERCISES = (
    Exercise(
        id="12.2",
        title="One step of many games",
        minutes=15,
        difficulty=2,
        function="step(search, roots, left, ask)",
        check=check_step,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "a draw is taken for no result",
            "network asked about a finished game",
            "a batch of one",
            "asked although nobody waits",
            "the budget is not counted down",
            "the budget is counted wrongly",
            "simulations spent on a game that is done",
            "the answer is not kept in the leaf",
        ),
        hints=(
            "Chapter 9's loop, cut in two where it asks. First half for every game, then one "
            "question, then the second half for every game.",
            "`leaves += search.expand_leaf(*search.descend(root))` gives (path, leaf) for each "
            "game with simulations left. Those with `leaf.outcome is None` wait for an answer; all "
            "of them are backed up.",
            "In near-code:\n\n"
            "    for each game with some left: one less; descend, expand; keep (path, leaf)\n"
            "    waiting = the leaves whose outcome is None\n"
            "    if there are any:\n"
            "        ask about all their states; keep prior and raw_value in each leaf\n"
            "    for each (path, leaf):\n"
            "        backup with the outcome if there is one, else with raw_value",
        ),
    ),
)
