"""The cases of the bug clinic: which search, which fault, and where it shows.

Position, seed and budget are chosen so that the fault can be seen. The names of the faults stand
here only, never in what a case displays before it is solved.
"""

import re
from dataclasses import dataclass, replace

from azlearn.course.bug_clinic import Case
from azlearn.course.patches import Patch
from azlearn.search import MCTS, Node, Tree
from azlearn.search.selection import UCT
from azlearn.viz.formatting import num


def inside_the_root(c: float) -> str:
    """How c inside the square root would look in a search with this c."""
    if c == 1:
        return (
            "with c = 1 inside and outside are the same, and the bonus would be the right one: "
            "√(ln ΣN / N)"
        )
    return (
        f"the bonus would be √({c:g} · ln ΣN / N), {num(c**-0.5, 1)} times the right one for every "
        "move, and it would still grow with ΣN"
    )


# What the reader chooses from: a fault, and how it would look. Some of them are in no case.
SYMPTOMS = {
    "a draw counted as a loss": "a drawn end would be backed up as ±1, never as 0",
    "c inside the square root": lambda asked: inside_the_root(asked.c),
    "each leaf's value is booked at the root's move only": "below the root every N would stay 0",
    "final move by best mean": "tree and timeline would look healthy, but the move played would "
    "not be the most visited one",
    "finished game valued for the wrong player": "rollouts would be backed up with the right sign, "
    "but a move that completes four in a row would get W−1 for the player who made it",
    "root statistics not reset between moves": "before the first simulation the root would have "
    "visits, more than a kept subtree could bring, and no nodes below that explain them",
    "rollout's result read for the wrong player": "a rollout that the mover of an edge wins would "
    "give this edge W−1, while finished games would be booked right",
    "the search plays on after the end of the game": "nodes would hang below a board that already "
    "has four in a row",
    "total of the parent is stale": "the bonus of a move that is not visited again would stand "
    "still, instead of growing with every visit to its brothers",
    "untried moves do not go first": "a move would be visited twice while another has no visit",
    "value not negated at backup": "all badges of one backup would have the same sign, though the "
    "players alternate",
    "N and ΣN swapped in the bonus": "the bonus would be largest for the most visited move, and 0 "
    "for a move with one visit",
}  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """A position in which it was asked for a move, and what there is to know about it.

    ``truth`` is one sentence that names the columns to play, and no others.
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
    """What the search of a case is asked, and what is shown of it.

    Attributes:
        turns: what it plays, and where; the tree is that of the first.
        look: the last simulation whose path begins with these moves is shown …
        ended: … or, from 1 on, the last whose game is over at least so many moves below the root;
            the node where it ends is in the side panel.
        phase: of that simulation. "start" shows the tree before the first simulation.
        selected: the moves from the root to the node in the side panel.
        num_simulations, c: of every search of this case.
        early: the table of the root's moves is shown at this simulation and at the last.
        memory: mixed into the search, for a fault that goes on from one to the next.
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
    """The columns whose top cell is empty, finished game or not."""
    top = game.cells(state)[: game.cols]
    return [column for column, stone in enumerate(top) if not stone]


class KeepsStatistics:
    """Has one N and one W for every root, which case E's patch gives to each."""

    def __init__(self, game, select, evaluate, **options):
        super().__init__(game, select, evaluate, **options)
        self.visit_counts = [0] * game.num_actions
        self.value_sum = [0.0] * game.num_actions

    def run(self, state, num_simulations, rng=0, **options):
        root = Node(self.game, state)
        for action in root.legal_actions:
            if self.visit_counts[action]:  # so that a recorder sees every edge with visits
                self._add_child(root, action)
        tree = Tree(self.game, root)
        return super().run(state, num_simulations, rng, tree=tree, **options)


CASES = {
    "A": Case(
        "value not negated at backup",
        (Patch(MCTS.backup, (("value = -value", None),)),),
        "The badges of a backup all have one colour: every player on the path, Red and "
        "Yellow alike, books the value that the leaf's own mover gets. So each player "
        "prefers what is good for the player at the leaf. The winning move is the clearest "
        "place: the game is over there, the player to move has lost, −1, and Red's edge "
        "books −1 for winning. Its Q is −1 after a visit or two, and the search stays away "
        "from it.",
        "Step through a backup: what does each player on the path book for one and the same "
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
        "Move 1 completes four in a row, and yet nodes hang below it. At the first visit the "
        "rules say that Red has won, Q = +1; then the search plays on, Yellow gets answers, "
        "and random games after the end pull the mean down, until a move that wins nothing "
        "looks better. A finished leaf is never expanded, however often it is visited.",
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
        "The bonus is upside down: √(ln N / ΣN) instead of √(ln ΣN / N). A move with one "
        "visit gets 0, the most visited move gets the most, so the first that looks good "
        "takes every simulation. In the table the moves with N = 1 keep N = 1 to the end: "
        "one unlucky rollout, Q = −1, and nobody returns to them.",
        "Compare the bonus of the most visited move with that of the least visited ones, "
        "early and late. Which of them should be larger?",
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
        "Rollouts are booked as they should be: the badges alternate. Only where the game "
        "ends the sign is wrong. The outcome speaks for the player to move, who has just "
        "lost: −1. Here it arrives as +1, so the winner's edge books −1. Each player avoids "
        "the moves that win, and thinks that the opponent will avoid them too.",
        "Compare two backups: one that starts from a rollout, one that starts from a finished "
        "game. Who gains in each?",
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
        "Before the first simulation of this search the root already has 600 visits: those "
        "of the three turns before, 200 each, in other positions. A subtree kept on purpose "
        "looks different: its visits lie below, in nodes, and there are fewer of them than "
        "one search makes. Here nothing hangs below the numbers. The old favourite wins the "
        "count, though its Q in the new position is poor.",
        "Go to the very beginning of the timeline. What should the root's N be there?",
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
        "grows with ΣN, the most visited move is a good one. The move played is another: the "
        "one with the highest Q. At low N that is a matter of luck; here a few rollouts that "
        "went well outweigh many that were earned. Over many positions this costs little, "
        "which is why a score does not show it: the tree does.",
        "Suppose that the tree is as it should be. What happens after the last simulation?",
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
        "The bonus should be √(ln ΣN / N), and ΣN grows with every simulation: a move that "
        "is left alone gets a slowly growing bonus until it is tried again. Here the total "
        "counts each move once and stops at 7. The bonus is 0.5 · √(ln 7 / 2) = 0.49 at N = "
        "2, at simulation 20 as at simulation 400, where 0.5 · √(ln 399 / 2) = 0.87 is due. "
        "A good move that was unlucky at first is not tried again.",
        "Take a move whose N stands still. What happens to its bonus between the early and "
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
