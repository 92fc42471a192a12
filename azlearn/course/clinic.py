"""Bug clinic I: searches with one planted fault each. Look at the tree and name the fault.

``show()`` shows one case at a time, with the names to choose from. You can do the same without
buttons: ``case("A")`` shows the evidence, ``choices()`` lists the names, and ``diagnose("A", 3)``
says whether the name is right; if it is, it shows the fault in the code.
"""

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from azlearn.arena import RandomPlayer, load_positions
from azlearn.course.bug_clinic import Case, Clinic, Evidence, Score, describe_difference
from azlearn.course.cards import (
    CASE,
    NUMBERS,
    OUTCOMES,
    Block,
    fold,
    mark,
    paragraphs,
    side_by_side,
    table,
)
from azlearn.course.clinic_cases import CASES, SYMPTOMS, Turn
from azlearn.course.patches import patched
from azlearn.games import ConnectFour
from azlearn.search import MCTS, Node, Recorder, Recording, Tree, random_rollout
from azlearn.search.selection import UCT
from azlearn.viz import Explorer, show_board
from azlearn.viz.formatting import num
from azlearn.viz.replaying import path_to, replay

GAME = ConnectFour()
NUM_POSITIONS = 60
TURNS_BEFORE = 3  # earlier turns of the same player, for a fault that carries over
_KEEPS = "How often its move preserves the win or the draw, in positions solved exactly"


def search(
    case: Case, moves: str, seed: int, *, right: bool = False, record: bool = False
) -> tuple[Tree | Recording, int]:
    """Runs the search of a case (or a correct one) after ``moves``; also returns its move.

    For a fault that carries over between searches, the player's last turns are searched first.
    """
    asked, patches = case.evidence, () if right else case.patches
    rule, kind = patched(UCT, *patches)(asked.c), patched(MCTS, *patches)
    if asked.memory and patches:
        kind = type("MCTS", (asked.memory, kind), {})
    # A rule without a name makes the viewer show the scores that it returned.
    mcts = kind(GAME, lambda node: rule(node), random_rollout())
    if asked.memory and patches:
        for earlier in range(len(moves) % 2, len(moves), 2)[-TURNS_BEFORE:]:
            mcts.run(GAME.from_moves(moves[:earlier]), asked.num_simulations, seed)
    if record:
        mcts.recorder = Recorder()
    tree = mcts.run(GAME.from_moves(moves), asked.num_simulations, seed)
    found = mcts.recorder.recording() if record else tree
    return found, patched(Node, *patches).best_action(tree.root)


class Played(NamedTuple):
    """A turn, with the move and the root of the search there."""

    turn: Turn
    action: int
    root: Node

    @property
    def is_right(self) -> bool:
        """Whether ``turn.truth`` names this move."""
        return GAME.action_label(self.action) in self.turn.good

    @property
    def said(self) -> str:
        """The move and the truth as text."""
        after = f'After "{self.turn.moves}"' if self.turn.moves else "On the empty board"
        return f"{after} it plays {GAME.action_label(self.action)}. {self.turn.truth}"


class RootRow(NamedTuple):
    """One move of the root: N, Q and its bonus; Q and bonus are None before the first visit."""

    move: str
    visits: int
    q: float | None
    bonus: float | None


class SearchEvidence(Evidence):
    """A recorded search.

    Attributes:
        recording: the recording of the search.
        action: the move that the search plays.
    """

    kind = "search"

    def __init__(self, letter: str, case: Case) -> None:
        super().__init__(letter, case)
        self.asked, self.first = case.evidence, case.evidence.turns[0]
        self.recording, self.action = search(case, self.first.moves, self.first.seed, record=True)

    def explorer(self) -> Explorer:
        """Returns an explorer opened where the fault shows; a line above names the final move."""
        asked, record = self.asked, self.recording.to_dict()
        notice = f"When this search is over, it plays {GAME.action_label(self.action)}."
        if asked.phase == "start":
            return Explorer(self.recording, step=0, phase="backup", notice=notice)
        leaves = record["steps"]["leaf"]
        step = next(n for n in range(len(leaves), 0, -1) if self._is_shown(record, leaves[n - 1]))
        numbers = range(len(record["nodes"]["parent"]))
        shown = next(i for i in numbers if moves_to(record, i) == asked.selected)
        shown = leaves[step - 1] if asked.ended else shown
        return Explorer(self.recording, step=step, phase=asked.phase, selected=shown, notice=notice)

    def _is_shown(self, record: dict[str, Any], leaf: int) -> bool:
        if self.asked.ended:
            over = record["nodes"]["outcome"][leaf] is not None
            return over and len(path_to(record, leaf)) > self.asked.ended
        return moves_to(record, leaf).startswith(self.asked.look)

    def healthy(self) -> Recording:
        """Returns a correct search of the same position, with the same budget and seed."""
        first = self.first
        return search(self._case, first.moves, first.seed, right=True, record=True)[0]

    @cached_property
    def turns(self) -> list[Played]:
        """The moves that the search plays in the positions of its case."""
        found = ((turn, search(self._case, turn.moves, turn.seed)) for turn in self.asked.turns)
        return [Played(turn, action, tree.root) for turn, (tree, action) in found]

    @cached_property
    def tables(self) -> dict[int, list[RootRow]]:
        """The table of the root's moves at an early and at the last simulation."""
        record = self.recording.to_dict()
        moments = (self.asked.early, self.asked.num_simulations)
        return {simulation: root_table(record, simulation) for simulation in moments}

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores of this search, a correct one and random moves; takes a few seconds."""
        return scores(self.letter)

    def blocks(self) -> Iterator[Block]:
        """Yields the facts shown with the tree."""
        asked, moves, n = self.asked, self.first.moves, self.scores[0].n
        yield paragraphs(
            "The game is Connect Four. The search is meant to be UCT: score Q + c · √(ln ΣN / N) "
            f"with c = {asked.c:g}, one random rollout per leaf, {asked.num_simulations} "
            "simulations per move and a new tree for every move. It should play the most visited "
            f'move. A position is written as the columns played so far, in order: "{moves}".'
        )
        yield side_by_side(map(_board, self.turns))
        comparison = (
            f"On these {n} positions it differs from a correct search by more than chance."
            if describe_difference(*self.scores[:2])
            else f"On these {n} positions its score is too close to that of a correct search, so "
            "the score tells you nothing here."
        )
        kept = table([*map(_score_row, self.scores)], ("", "preserved", "95% interval", ""))
        summary = "How often its move preserves the win or the draw"
        yield fold(summary, paragraphs(f"{_KEEPS}:"), kept, paragraphs(comparison))
        root = (
            f'The root of the tree below, after "{moves}", as the rule sees it in the select phase '
            "of two simulations, before their own visit is added:"
        )
        tables = [self._table(rows, at) for at, rows in self.tables.items()]
        summary = "N, Q and bonus of the root's moves, early and late"
        yield fold(summary, paragraphs(root), side_by_side(tables))
        plays = (
            f'After "{moves}", when its {asked.num_simulations} simulations are done, it plays '
            f"{GAME.action_label(self.action)}."
        )
        yield Block(plays, f'<div style="font-size:1.15em"><b>{paragraphs(plays).html}</b></div>')

    def _table(self, rows: list[RootRow], at: int) -> Block:
        cells = []
        for move, visits, q, bonus in rows:
            is_played = move == GAME.action_label(self.action) and at == self.asked.num_simulations
            numbers = "–" if q is None else num(q), "∞" if bonus is None else num(bonus)
            cells.append((move, str(visits), *numbers, "◂ played" if is_played else ""))
        caption = f"simulation {at} of {self.asked.num_simulations}"
        return table(cells, ("move", "N", "Q", "bonus", ""), caption, NUMBERS)


@cache
def scores(letter: str) -> tuple[Score, ...]:
    """Returns the scores of a case's search, a correct one and random moves."""
    case = CASES[letter]
    return (
        Score("this search", _held(case)),
        Score("a correct search", _held(case, right=True)),
        Score("random moves", _held(None)),
    )


def _held(case: Case | None, right: bool = False) -> tuple[bool, ...]:
    held = []
    for number, position in enumerate(load_positions()[:: 1000 // NUM_POSITIONS][:NUM_POSITIONS]):
        if case is None:
            move = RandomPlayer(GAME).choose(position.state, np.random.default_rng(number))
        else:
            move = search(case, position.moves, number, right=right)[1]
        held.append(position.keeps_value(move))
    return tuple(held)


def _score_row(score: Score) -> tuple[str | Block, ...]:
    low, high = (100 * end for end in score.interval)
    bar = Block("", _bar(100 * score.kept / score.n, low, high))
    return score.who, f"{score.kept} of {score.n}", f"{low:.0f}% to {high:.0f}%", bar


def _bar(share: float, low: float, high: float) -> str:
    """Draws a percentage as a bar, with its interval as a thin line."""
    return (
        '<svg width="204" height="14" viewBox="0 0 204 14" aria-hidden="true" focusable="false">'
        '<rect x="1" y="1" width="202" height="12" rx="2" fill="none" stroke="#8a8a8a"/>'
        f'<rect x="2" y="2" width="{2 * share:.1f}" height="10" fill="{CASE.color}"/>'
        f'<path d="M{2 + 2 * low:.1f} 7H{2 + 2 * high:.1f}" stroke="#d98200" stroke-width="3"/>'
        "</svg>"
    )


def _board(played: Played) -> Block:
    """Shows the board after the move, whether the move is right, and the truth."""
    turn, root = played.turn, played.root
    look = OUTCOMES["right" if played.is_right else "wrong"]
    text = (
        f"{look.symbol} {played.said}\n"
        f"   its root: N = {root.visit_counts}, Q = {[round(q, 2) for q in root.q_values.tolist()]}"
    )
    after = GAME.play(GAME.from_moves(turn.moves), played.action)
    picture = show_board(GAME, after, last=played.action, alt=played.said)
    picture.width = 150
    where = f"after {turn.moves}" if turn.moves else "empty board"
    plays = mark(look, f"plays {GAME.action_label(played.action)}").html
    return Block(
        text,
        f'<div style="width:16.6em">{picture.html()}<div style="line-height:1.35;margin-top:.2em">'
        f'{plays}<small style="white-space:nowrap">{where}</small>'
        f"<br>{turn.truth}</div></div>",
    )


def root_table(record: dict[str, Any], simulation: int) -> list[RootRow]:
    """Returns N, Q and bonus of the root's moves at the start of ``simulation``."""
    row = record["steps"]["simulation"].index(simulation)
    visits, values = replay(record, row)
    nodes, seen = record["nodes"], record["steps"]["scores"][row][0]
    behind = {nodes["action"][i]: i for i, above in enumerate(nodes["parent"]) if above == 0}
    rows = []
    for action in nodes["legal"][0]:
        node = behind.get(action, 0)
        n = int(visits[node]) if node else 0
        q = float(values[node]) / n if n else None
        bonus = None if q is None or seen[action] is None else seen[action] - q
        rows.append(RootRow(GAME.action_label(action), n, q, bonus))
    return rows


def moves_to(record: dict[str, Any], node: int) -> str:
    """Returns the moves from the root to a node, as digits that start at 1."""
    actions = record["nodes"]["action"]
    return "".join(GAME.action_label(actions[i]) for i in path_to(record, node)[1:])


CLINIC = Clinic(CASES, SYMPTOMS, SearchEvidence)
show, cases, choices = CLINIC.show, CLINIC.cases, CLINIC.choices
ward = show  # the old name, in notebooks of the previous edition
case, diagnose = CLINIC.case, CLINIC.diagnose
