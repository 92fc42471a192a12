"""The bug clinic: searches with one planted fault each. Look at the tree, name the fault.

``ward()`` shows one case at a time, with the names to choose from. Without buttons: ``case("A")``
shows what there is to see, ``choices()`` the names, and ``diagnose("A", 3)`` says whether the name
is right, and then what the fault is in the code.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import binomtest

from azlearn.arena import RandomPlayer, load_positions, wilson_interval
from azlearn.course.clinic_cards import CaseCard, RootRow, TurnPlayed
from azlearn.course.clinic_cases import PATIENTS, SYMPTOMS, Patient, PlantedFault, Turn, symptom
from azlearn.course.clinic_verdicts import Clinic
from azlearn.games import ConnectFour
from azlearn.search import Recorder, Recording, Tree, random_rollout
from azlearn.viz import Explorer
from azlearn.viz.replaying import path_to, replay

GAME = ConnectFour()
NUM_POSITIONS = 60
TURNS_BEFORE = 3  # of the same player, for a fault that remembers
RIGHT = PlantedFault("", (), "")


class Case:
    """The evidence of one case. Displaying it shows a card and the tree in the explorer.

    Attributes:
        letter: "A", "B", …
        recording: the recorded search.
        action: the move that it plays.
    """

    def __init__(self, letter: str) -> None:
        self.letter = letter
        patient = PATIENTS[letter]
        first = patient.turns[0]
        self.recording, self.action = _search(
            patient.fault, patient, first.moves, first.seed, record=True
        )

    def explorer(self) -> Explorer:
        """The tree at a telling moment; above it stands the move that is played in the end."""
        explorer = self._explorer()
        explorer.notice = f"When this search is over, it plays {GAME.action_label(self.action)}."
        return explorer

    def _explorer(self) -> Explorer:
        patient, record = PATIENTS[self.letter], self.recording.to_dict()
        if patient.phase == "start":
            return Explorer(self.recording, step=0, phase="backup")
        step = _last_step(record, patient)
        selected = _node(record, patient.selected)
        if patient.ended:
            selected = record["steps"]["leaf"][step - 1]
        return Explorer(self.recording, step=step, phase=patient.phase, selected=selected)

    def healthy(self) -> Recording:
        """A right search of the same position, with the same budget and seed."""
        patient = PATIENTS[self.letter]
        first = patient.turns[0]
        return _search(RIGHT, patient, first.moves, first.seed, record=True)[0]

    def facts_html(self) -> str:
        """What stands above the tree."""
        return self.card()._repr_html_()

    def card(self) -> CaseCard:
        """The facts beside the tree; takes a few seconds."""
        patient = PATIENTS[self.letter]
        record = self.recording.to_dict()
        return CaseCard(
            letter=self.letter,
            game=GAME,
            moves=patient.turns[0].moves,
            num_simulations=patient.num_simulations,
            c=patient.c,
            turns=tuple(_played(patient, turn) for turn in patient.turns),
            tables=tuple(_root_table(record, s) for s in (patient.early, patient.num_simulations)),
            at=(patient.early, patient.num_simulations),
            scores=scores(self.letter),
            told_apart=told_apart(*scores(self.letter)[:2]),
        )

    def _ipython_display_(self) -> None:
        from IPython.display import display

        card = self.card()
        display({"text/html": card._repr_html_(), "text/plain": str(card)}, raw=True)
        display(self.explorer())

    def __repr__(self) -> str:
        return str(self.card())


@dataclass(frozen=True)
class Score:
    """How many of the labelled positions keep their value under a player's move.

    ``held`` says it for each of them; the interval is Wilson's, 95 %.
    """

    who: str
    held: tuple[bool, ...] = field(repr=False)

    @property
    def kept(self) -> int:
        return sum(self.held)

    @property
    def n(self) -> int:
        return len(self.held)

    @property
    def interval(self) -> tuple[float, float]:
        return wilson_interval(self.kept, self.n)


@cache
def scores(letter: str) -> tuple[Score, ...]:
    """This search, the right one with the same budget, and random moves, on labelled positions."""
    patient = PATIENTS[letter]
    return (
        _score("this search", patient.fault, patient.num_simulations, patient.c),
        _score("a right search", RIGHT, patient.num_simulations, patient.c),
        _score("random moves", None, 0, 0.0),
    )


def told_apart(one: Score, other: Score) -> bool:
    """Whether two scores on the same positions differ by more than chance.

    McNemar's exact test (McNemar 1947) at 5 %: of the positions that only one of the two keeps,
    either should have about half.
    """
    pairs = list(zip(one.held, other.held, strict=True))
    only_one, only_other = pairs.count((True, False)), pairs.count((False, True))
    split = only_one + only_other
    return split > 0 and binomtest(only_one, split).pvalue < 0.05


@cache
def _score(who: str, fault: PlantedFault | None, num_simulations: int, c: float) -> Score:
    positions = load_positions()[:: 1000 // NUM_POSITIONS][:NUM_POSITIONS]
    patient = Patient(fault or RIGHT, (), "", num_simulations=num_simulations, c=c)
    held = []
    for number, position in enumerate(positions):
        if fault is None:
            move = RandomPlayer(GAME).choose(position.state, np.random.default_rng(number))
        else:
            move = _search(fault, patient, position.moves, number)[1]
        held.append(position.keeps_value(move))
    return Score(who, tuple(held))


def _search(
    fault: PlantedFault, patient: Patient, moves: str, seed: int, *, record: bool = False
) -> tuple[Tree | Recording, int]:
    """Search after ``moves`` and choose; a fault that remembers has played its turns before."""
    rule = fault.rule(patient.c)
    search = fault.search(GAME, rule, random_rollout())
    if fault.remembers:
        for earlier in range(len(moves) % 2, len(moves), 2)[-TURNS_BEFORE:]:
            search.run(GAME.from_moves(moves[:earlier]), patient.num_simulations, seed)
    if record:
        search.recorder = Recorder()
    tree = search.run(GAME.from_moves(moves), patient.num_simulations, seed)
    found = search.recorder.recording() if record else tree
    return found, fault.choose(tree.root)


def _played(patient: Patient, turn: Turn) -> TurnPlayed:
    tree, move = _search(patient.fault, patient, turn.moves, turn.seed)
    root = tree.root
    is_right = GAME.action_label(move) in turn.good
    return TurnPlayed(
        turn.moves, move, turn.truth, is_right, root.visit_counts[:], root.q_values.tolist()
    )


def _root_table(record: dict[str, Any], simulation: int) -> tuple[RootRow, ...]:
    """N, Q and bonus of the root's moves, as the rule saw them when ``simulation`` began."""
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
    return tuple(rows)


def _last_step(record: dict[str, Any], patient: Patient) -> int:
    """The step after the last row that the case is to show."""
    steps = range(len(record["steps"]["leaf"]), 0, -1)
    return next(step for step in steps if _is_shown(record, step - 1, patient))


def _is_shown(record: dict[str, Any], row: int, patient: Patient) -> bool:
    leaf = record["steps"]["leaf"][row]
    if patient.ended:
        over = record["nodes"]["outcome"][leaf] is not None
        return over and len(path_to(record, leaf)) > patient.ended
    return _moves_to(record, leaf).startswith(patient.look)


def _node(record: dict[str, Any], moves: str) -> int:
    numbers = range(len(record["nodes"]["parent"]))
    return next(i for i in numbers if _moves_to(record, i) == moves)


def _moves_to(record: dict[str, Any], node: int) -> str:
    actions = record["nodes"]["action"]
    return "".join(GAME.action_label(actions[i]) for i in path_to(record, node)[1:])


_CLINIC = Clinic(
    "search",
    PATIENTS,
    {letter: patient.fault for letter, patient in PATIENTS.items()},
    tuple(SYMPTOMS),
    lambda name, patient: symptom(name, patient.c),
    Case,
)
ward, cases, choices = _CLINIC.ward, _CLINIC.cases, _CLINIC.choices
case, diagnose = _CLINIC.case, _CLINIC.diagnose
