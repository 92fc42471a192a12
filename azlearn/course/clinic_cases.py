"""The cases of the first bug clinic: each search, its fault, and where the fault can be seen.

Position, seed and budget are chosen so that the fault can be seen. The names of the faults are
only in this file: a case never displays them before it is solved.
"""

import re
from dataclasses import dataclass, replace

from azlearn.course.bug_clinic import Case
from azlearn.course.patches import Patch
from azlearn.search import MCTS, Node, Tree
from azlearn.search.selection import UCT
from azlearn.viz.formatting import num


def inside_the_root(c: float) -> str:
    """Describes what c inside the square root would do in a search with this c."""
    if c == 1:
        return (
            "nothing would change: with c = 1 it makes no difference whether c is inside or "
            "outside the root, and the bonus would be the correct one, √(ln ΣN / N)"
        )
    return (
        f"the bonus would be √({c:g} · ln ΣN / N), {num(c**-0.5, 1)} times the right one for every "
        "move, and it would still grow with ΣN"
    )


# The faults to choose from, and how each would look. Some of them are in no case.
SYMPTOMS = {
    "a draw counted as a loss": "a drawn game would be backed up as ±1, never as 0",
    "c inside the square root": lambda asked: inside_the_root(asked.c),
    "each leaf's value is added at the root's move only": "below the root every N would stay 0",
    "final move by best mean": "the tree and the timeline would look healthy, but the move played "
    "would not be the most visited one",
    "finished game valued for the wrong player": "rollouts would be backed up with the right sign, "
    "but a move that completes four in a row would add −1 to W for the player who made it",
    "root statistics not reset between moves": "the root would have visits before the first "
    "simulation: more than a reused subtree could bring, and without nodes below to explain them",
    "rollout's result read for the wrong player": "a rollout won by the player who made a move "
    "would add −1 to the W of that move, while finished games would be backed up correctly",
    "the search plays on after the end of the game": "there would be nodes below a board that "
    "already has four in a row",
    "total of the parent is stale": "the bonus of a move that is not visited again would stay the "
    "same, instead of growing with every visit to its sibling moves",
    "untried moves do not go first": "one move would be visited twice before another has been "
    "visited once",
    "value not negated at backup": "all badges of one backup would have the same sign, although "
    "the players alternate",
    "N and ΣN swapped in the bonus": "the bonus would be largest for the most visited move, and 0 "
    "for any move with one visit",
}  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """A position in which the search chooses a move, and the truth about that position.

    ``truth`` is one sentence that names the columns to play, and no other columns.
    """

    moves: str
    seed: int
    truth: str

    @property
    def good(self) -> tuple[str, ...]:
        """The columns to play."""
        return tuple(re.findall(r"\b[1-7]\b", self.truth))


@dataclass(frozen=True)
class Asked:
    """The positions that a case searches, and the moment of the first search to show.

    Attributes:
        turns: the positions; the tree that is shown belongs to the first one.
        look: shows the last simulation whose path starts with these moves.
        ended: if at least 1, shows instead the last simulation that reaches the end of the game
            at least this many moves below the root; that last node is in the side panel.
        phase: the phase of that simulation; "start" shows the tree before the first simulation.
        selected: the moves from the root to the node in the side panel.
        num_simulations, c: the budget and exploration constant of every search of this case.
        early: the table of the root's moves is shown for this simulation and for the last one.
        memory: a base class added to the search, for a fault that carries over between searches.
    """

    turns: tuple[Turn, ...]
    look: str = ""
    ended: int = 0
    phase: str = "backup"
    selected: str = ""
    num_simulations: int = 200
    c: float = 1.0
    early: int = 20
    memory: type | None = None


_WIN = Turn("112233", 0, "Red can win at once, with 4.")
_BLOCK = Turn("11223", 0, "Red threatens to win with 4: Yellow must play it.")


def open_columns(game, state) -> list[int]:
    """The columns whose top cell is empty, even if the game is over."""
    top = game.cells(state)[: game.cols]
    return [column for column, stone in enumerate(top) if not stone]


class KeepsStatistics:
    """A search that keeps one N and one W, which the patch of case E gives to every root."""

    def __init__(self, game, select, evaluate, **options):
        super().__init__(game, select, evaluate, **options)
        self.visit_counts = [0] * game.num_actions
        self.value_sum = [0.0] * game.num_actions

    def run(self, state, num_simulations, rng=0, **options):
        root = Node(self.game, state)
        for action in root.legal_actions:
            if self.visit_counts[action]:  # a recorder must see every edge that has visits
                self._add_child(root, action)
        tree = Tree(self.game, root)
        return super().run(state, num_simulations, rng, tree=tree, **options)


CASES = {
    "A": Case(
        "value not negated at backup",
        (Patch(MCTS.backup, (("value = -value", None),)),),
        "All badges of a backup have the same color: every edge on the path, whether Red's or "
        "Yellow's, adds the value for the player to move at the leaf. So each player "
        "prefers what is good for the player at the leaf. The winning move shows it most "
        "clearly: the game is over there, the player to move has lost (−1), and so Red's "
        "edge gets −1 for winning. Its Q is −1 after a visit or two, and the search avoids "
        "it.",
        "Step through a backup: which value does each player on the path get for the same "
        "result? Then look at the Q of the move that ends the game.",
        Asked(
            (_WIN, _BLOCK, Turn("", 0, "Only 4 wins, in the long run.")),
        ),
    ),
    "B": Case(
        "the search plays on after the end of the game",
        (
            Patch(MCTS.descend, (("and node.outcome is None:", "and node.legal_actions:"),)),
            Patch(
                MCTS._add_child,
                (("node.children[action] = child",
                  "child.legal_actions = open_columns(self.game, child.state)\n"
                  "node.children[action] = child"),),
                {"open_columns": open_columns},
            ),
        ),
        "Move 1 completes four in a row, yet there are nodes below it. At the first visit the "
        "rules say that Red has won: Q = +1. Then the search plays on, Yellow gets replies, "
        "and random games after the end pull the mean down, until a move that wins nothing "
        "looks better. A correct search never expands a finished leaf, however often it is "
        "visited.",
        "Look at the boards of the nodes, not only at their numbers. Which of these positions "
        "can occur in a game?",
        Asked(
            (
                Turn("161517", 0, "Red can win at once, with 1."),
                Turn("151215644", 0, "Yellow can win at once, with 3."),
                Turn("11223", 0, "Red threatens to win with 4: Yellow must play it."),
            ),
            look="1", selected="1",
        ),
    ),
    "C": Case(
        "N and ΣN swapped in the bonus",
        (
            Patch(UCT.__call__, (
                ("log_total = log(sum(visits) or 1)", "total = sum(visits)"),
                ("sqrt(log_total / n)", "sqrt(log(n) / total)"),
            )),
        ),
        "N and ΣN are swapped: the bonus is √(ln N / ΣN) instead of √(ln ΣN / N). A move with "
        "one visit gets 0 and the most visited move gets the most, so the first move that "
        "looks good takes every simulation. In the table the moves with N = 1 keep N = 1 to "
        "the end: after one unlucky rollout (Q = −1) the search never returns to them.",
        "Compare the bonus of the most visited move with the bonus of the least visited "
        "moves, early and late. Which should be larger?",
        Asked(
            (
                Turn("215327416674", 0, "2 and 4 hold the draw; every other move loses."),
                Turn("2347545435353", 0, "3 wins; every other move loses."),
                Turn("514436321455263", 0, "3 wins; every other move loses."),
            ),
            phase="select",
        ),
    ),
    "D": Case(
        "finished game valued for the wrong player",
        (Patch(MCTS.evaluate_leaf, (("(None, leaf.outcome)", "(None, -leaf.outcome)"),)),),
        "Rollouts are backed up correctly: the badges alternate. The sign is wrong only where "
        "the game ends. The outcome is for the player to move, who has just lost: −1. Here it "
        "arrives as +1, so the winner's edge gets −1. Each player avoids the moves that win, "
        "and expects the opponent to avoid them too.",
        "Compare two backups: one that starts from a rollout, and one that starts from a "
        "finished game. Which player gains in each?",
        Asked(
            (
                _WIN,
                replace(_BLOCK, seed=1),
                Turn("151215644", 0, "Yellow can win at once, with 3."),
            ),
            ended=3,
        ),
    ),
    "E": Case(
        "root statistics not reset between moves",
        (
            Patch(MCTS._run, (
                ("tree = tree or Tree(self.game, Node(self.game, state))",
                 "tree = tree or Tree(self.game, Node(self.game, state))\n"
                 "tree.root.visit_counts, tree.root.value_sum = self.visit_counts, "
                 "self.value_sum"),
            )),
        ),
        "Before the first simulation of this search the root already has 600 visits, left over "
        "from three earlier turns of 200 simulations each, in other positions. A subtree that "
        "is reused on purpose looks different: the nodes below the root have visits too, and "
        "there are fewer visits than one search makes. Here nothing below the root explains "
        "them. The old favorite has the most visits, although its Q in the new position is "
        "poor.",
        "Go to the very start of the timeline. What should the root's N be there?",
        Asked(
            (
                Turn("6442434", 0, "Yellow can win at once, with 1 or 5."),
                Turn("257646243", 0, "Red threatens to win with 1: Yellow must play it."),
                Turn("67443", 0, "Red threatens to win with 5: Yellow must play it."),
            ),
            phase="start", memory=KeepsStatistics,
        ),
    ),
    "F": Case(
        "final move by best mean",
        (
            Patch(Node.best_action, (
                ("return most_visited(self, self.legal_actions)",
                 "q = self.q_values\nreturn max(self.legal_actions, key=lambda a: q[a])"),
            )),
        ),
        "Nothing is wrong with this tree: the badges alternate, the bonus shrinks with N and "
        "grows with ΣN, and the most visited move is a good one. But the search plays another "
        "move: the one with the highest Q. At low N a high Q is a matter of luck; here a few "
        "lucky rollouts outweigh the many visits of a better move. Over many positions this "
        "costs little, so a score does not show it, but the tree does.",
        "Suppose that the tree is correct. What happens after the last simulation?",
        Asked(
            (
                Turn("16151", 4, "Red threatens to win with 1: Yellow must play it."),
                Turn("34554", 11, "4 and 5 win for Yellow; every other move loses."),
                Turn("3133643", 5, "Only 4 wins for Yellow."),
            ),
            num_simulations=100,
        ),
    ),
    "G": Case(
        "total of the parent is stale",
        (Patch(UCT.__call__, (("log(sum(visits) or 1)", "log(sum(n > 0 for n in visits) or 1)"),)),),  # noqa: E501
        "The bonus should be 0.5 · √(ln ΣN / N), and ΣN grows with every simulation: the bonus "
        "of a neglected move grows slowly until the move is tried again. Here the total counts "
        "each move once and stops at 7. At N = 2 the bonus is 0.5 · √(ln 7 / 2) = 0.49, at "
        "simulation 20 as well as at simulation 400, where it should be "
        "0.5 · √(ln 399 / 2) = 0.87. A good move that was unlucky at first is not tried again.",
        "Find a move whose N does not change. What happens to its bonus between the early and "
        "the late table, and what should happen?",
        Asked(
            (
                Turn("72263116716", 0, "Only 3 wins for Yellow."),
                Turn("544113114324", 1, "3 wins; every other move loses."),
                Turn("56635355321166", 0, "2 wins; every other move loses."),
            ),
            phase="select", num_simulations=400, c=0.5,
        ),
    ),
}  # fmt: skip
