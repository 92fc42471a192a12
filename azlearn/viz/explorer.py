"""The explorer: a recorded search to step through, in a notebook or in a file of its own; and one
that runs its search again when a knob is turned."""

import json
import math
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from types import FunctionType
from typing import Any

import traitlets

from azlearn.games import Game, State
from azlearn.games.notation import read_moves
from azlearn.old_names import old_arguments
from azlearn.search import (
    MCTS,
    RULES,
    Evaluator,
    GumbelNoise,
    MCTSSolver,
    Node,
    Recorder,
    Recording,
    RootNoise,
    SelectionRule,
    Tree,
    check_budget,
    puct,
    random_rollout,
    uct,
)
from azlearn.viz import assets, tree_graph, tree_picture
from azlearn.viz.background import Worker
from azlearn.viz.formatting import signed
from azlearn.viz.game_results import record_of
from azlearn.viz.opening import opening as moves_to
from azlearn.viz.page_search import engine_of, in_page
from azlearn.viz.picture import Picture
from azlearn.viz.record import check, remark
from azlearn.viz.replaying import Record, children, label_of, path_to, preferred, winner_at
from azlearn.viz.tour import Stop, checked_tour
from azlearn.viz.widget import TreeWidget, not_known, whole_number

_GAME_NAMES = {"connect_four": "Connect Four", "tic_tac_toe": "tic-tac-toe"}

# Where the sliders end; a number that is typed in may lie beyond, within what the rule allows.
# AlphaZero's alpha is about 10 / (number of legal moves) (Silver et al. 2018, Methods).
LARGEST_C, SMALLEST_C, LARGEST_BUDGET = 10.0, 0.01, 10_000


class Explorer(TreeWidget):
    """Shows a recorded search: its tree, its four phases, and the reasons for every choice.

    Args:
        recording: what ``Recorder.recording()`` gives, or its ``to_dict()``; or a Tree that was
            not recorded, for its final statistics.
        tour: moments to show one after the other, each with a sentence; see ``Stop``.

    Its still pictures show the finished tree.

    Attributes (the ones shared with the browser change on both sides):
        record: the record that the browser replays; see ``Recording.to_dict``. NaN and infinity,
            which JSON does not have, become None.
        step: how many rows of the record have been played, 0 to their number.
        phase: the phase shown of the last of them, one of "select", "expand", "evaluate", "backup".
        selected: index of the node that the side panel is kept on; None while the panel follows
            the search. ``selected_node`` is the Node itself.
        notice: a sentence above the tree; "" for none.
        opening: actions that lead from the start of the game to the root, in one possible order;
            None where nobody knows any.
        knobs: what can be changed about the search; empty where nothing can rerun it.
        search: the search as a page without a kernel can run it, see ``page_search.in_page``; empty
            where none can.
        tour: the stops as the browser reads them.

    Raises:
        ValueError: a record that was given as a dict cannot be shown, or a stop of the tour does
            not fit.
    """

    record = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    knobs = traitlets.Dict().tag(sync=True)
    search = traitlets.Dict().tag(sync=True)
    opening = traitlets.List(allow_none=True, default_value=None).tag(sync=True)
    tour = traitlets.List().tag(sync=True)

    def __init__(
        self,
        recording: Recording | Tree | dict[str, Any],
        tour: Iterable[Stop | tuple] = (),
        **kwargs,
    ) -> None:
        self.recording, record = _opened(recording)
        kwargs["tour"] = checked_tour(record, tour)
        kwargs.setdefault("step", len(record["steps"]["leaf"]))
        kwargs.setdefault("notice", remark(record))
        if self.recording is not None:
            tree = self.recording.tree
            kwargs.setdefault("opening", moves_to(tree.game, tree.root.state))
        super().__init__(record=record, **kwargs)

    _esm = assets.module(assets.EXPLORER)
    _css = assets.styles("explorer.css", "tree.css")

    SET_BY_PAGE = ("step", "phase", "selected")
    STILL = "A still picture of the tree: run the cell for the explorer."
    IN_A_FILE = (
        *("record", "step", "phase", "selected", "opening", "notice", "tour"),
        *("knobs", "search"),
    )

    def _handle_message(self, content: dict[str, Any]) -> None:
        if content.get("do") != "grow":
            raise not_known(content)
        self.grow(whole_number(content, "node"))

    def grow(self, node: int) -> None:
        """Takes in the children of a node, left out of the record for their number.

        Raises:
            ValueError: there is no such node, or only a record was given, without a search.
        """
        if self.recording is None:
            raise ValueError("These nodes are not in the record that this explorer was given.")
        last = len(self.recording.nodes) - 1
        if not 0 <= node <= last:
            raise ValueError(f"node must be a node, 0 to {last}, not {node!r:.60}.")
        self.recording.grow(node)
        self.record = record_of(self.recording)

    @traitlets.validate("record")
    def _valid_record(self, proposal) -> dict[str, Any]:
        return _sendable(proposal["value"])

    @traitlets.validate("step")
    def _valid_step(self, proposal) -> int:
        rows = len(self.record["steps"]["leaf"])
        if not 0 <= proposal["value"] <= rows:
            raise traitlets.TraitError(f"step must be 0 to {rows}, not {proposal['value']}.")
        return proposal["value"]

    @traitlets.validate("selected")
    def _valid_selected(self, proposal) -> int:
        nodes = len(self.record["nodes"]["parent"])
        if proposal["value"] is not None and not 0 <= proposal["value"] < nodes:
            raise traitlets.TraitError(
                f"selected must be a node, 0 to {nodes - 1}, not {proposal['value']}."
            )
        return proposal["value"]

    @property
    def selected_node(self) -> Node | None:
        """The node that was clicked, as the search left it, and the root before any click; None if
        only a dict was given."""
        return None if self.recording is None else self.recording.nodes[self.selected or 0]

    def describe(self) -> str:
        """The finished tree in a few sentences: the alternative text of its still pictures."""
        size = len(self.record["nodes"]["parent"])
        text = f"Search tree on {game_name(self.record)} with {size} node{'s' * (size > 1)}."
        listed = [
            f"{label_of(self.record, i)} with {n} visit{'s' * (n > 1)} and Q {signed(mean)}"
            for i, n, mean in preferred(self.record)[:3]
        ]
        if listed:
            text += f" Most visited moves at the root: {', '.join(listed)}."
        if (winner := winner_at(self.record, 0)) is not None:
            players = self.record["game"]["drawing"]["players"]
            text += f" Proven: {'a draw' if winner < 0 else f'{players[winner]} wins'}."
        return " ".join(filter(None, (remark(self.record), text)))

    def to_svg(self, max_nodes: int = 40) -> str:
        """The part of the finished tree that fits, as SVG text."""
        return tree_picture.to_svg(self.record, max_nodes, self.describe())

    def to_picture(self, max_nodes: int = 20) -> Picture:
        """The still picture with its alternative text, to display in a notebook."""
        alt = self.describe()
        return Picture(alt, svg=tree_picture.to_svg(self.record, max_nodes, alt, follow=True))

    def to_graphviz(self, max_nodes: int = 40):
        """The most visited part of the finished tree as a ``graphviz.Digraph``, for print.

        Without Graphviz's program ``dot`` it cannot be drawn: then one sentence says so and the
        explorer's own picture comes back instead.
        """
        if shutil.which("dot") is None:
            print("Graphviz's program `dot` is not installed; here is the explorer's own picture.")
            return self.to_picture(max_nodes)
        return tree_graph.digraph(self.record, max_nodes)

    def _title(self) -> str:
        return f"A search on {game_name(self.record)}, step by step"

    def __repr__(self) -> str:
        return f"Explorer: {self.describe()}"


def game_name(record: dict[str, Any]) -> str:
    """What to call the game of a record within a sentence."""
    name = record["game"]["name"]
    return _GAME_NAMES.get(name, name.replace("_", " "))


def _opened(recording) -> tuple[Recording | None, dict[str, Any]]:
    """What an explorer keeps of what it is given: the recording if there is one, and the record."""
    if isinstance(recording, Tree):
        recording = Recording.of_tree(recording)
    if isinstance(recording, dict):
        record = _sendable(recording)
        check(record)
        return None, record
    return recording, record_of(recording)


def _sendable(record: dict[str, Any]) -> dict[str, Any]:
    """The same with None for every NaN and infinity, and "?" for every half of a letter."""
    try:
        json.dumps(record, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return _cleaned(record)
    return record


def _cleaned(part: Any) -> Any:
    if isinstance(part, dict):
        return {_cleaned(key): _cleaned(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_cleaned(value) for value in part]
    if isinstance(part, str):
        return part.encode(errors="replace").decode()
    return None if isinstance(part, float) and not math.isfinite(part) else part


@dataclass(frozen=True)
class Search:
    """A search as ``explore`` was asked for it; the knobs change some of its fields."""

    game: Game
    state: State
    select: SelectionRule
    evaluate: Evaluator
    num_simulations: int
    expand: str = "one"
    root_noise: RootNoise | GumbelNoise | None = None
    seed: int = 0
    use_solver: bool = False
    moves: tuple[int, ...] | None = None  # from the start of the game to ``state``, if known

    def __post_init__(self) -> None:
        check_budget(self.num_simulations)
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise ValueError(f"seed must be a whole number, 0 or more, not {self.seed!r}.")

    @property
    def _parameters(self) -> dict[str, Any]:
        """c and fpu of a rule that can be made again with others; empty for one's own."""
        name = getattr(self.select, "name", None)
        return dict(getattr(self.select, "parameters", {})) if name in RULES else {}

    def knobs(self) -> dict[str, dict[str, Any]]:
        """By name: the value, the ends of the slider, and whether its scale is logarithmic."""
        rule, knobs, noise = self._parameters, {}, self.root_noise
        if "c" in rule:
            knobs["c"] = _knob(rule["c"], SMALLEST_C, max(LARGEST_C, rule["c"]), log=True)
        if "fpu" in rule:
            knobs["fpu"] = _knob(rule["fpu"], -1, 1)
        if "fpu" in rule or isinstance(noise, RootNoise):
            knobs["noise"] = _knob(noise.fraction if noise else 0, 0, 1)
        budget = int(self.num_simulations)
        knobs["num_simulations"] = _knob(budget, 1, max(LARGEST_BUDGET, budget), log=True)
        knobs["seed"] = {"value": int(self.seed)}
        if self.moves is not None:
            knobs["moves"] = {"value": [*self.moves]}
        return knobs

    def turned(self, **changes: Any) -> "Search":
        """The same with other values at the knobs that are named.

        Raises:
            ValueError: a knob that this search does not have, or a value that it cannot take.
        """
        unknown = [name for name in changes if name not in self.knobs()]
        if unknown:
            names = ", ".join(self.knobs())
            raise ValueError(f"This search has no {unknown[0]!r} to set; its knobs are {names}.")
        rule = {**self._parameters, **{n: changes[n] for n in ("c", "fpu") if n in changes}}
        fields = {name: changes[name] for name in ("num_simulations", "seed") if name in changes}
        if "noise" in changes:
            alpha = self.root_noise.alpha if self.root_noise else self._usual_alpha()
            fields["root_noise"] = RootNoise(alpha, changes["noise"])
        if "moves" in changes:
            moves, states = read_moves(self.game, changes["moves"])
            if self.game.outcome(states[-1]) is not None:
                raise ValueError(
                    "The game is over after these moves, so there is nothing to search."
                )
            fields |= {"moves": tuple(moves), "state": states[-1]}
        if rule:
            fields["select"] = RULES[self.select.name](**rule)
        return replace(self, **fields)

    def _usual_alpha(self) -> float:
        return 10 / max(1, len(self.game.legal_actions(self.state)))

    def run(
        self,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[float], None] = lambda share: None,
    ) -> Recording:
        """Searches, until done or ``stop()``.

        Raises:
            ValueError: as ``MCTS.run``. The evaluator's own errors come through as well.
        """
        recorder, noise = Recorder(), self.root_noise
        if isinstance(noise, RootNoise) and not noise.fraction:
            noise = None  # as a search without: it would still ask for priors and draw numbers
        kind, given = (
            MCTSSolver if self.use_solver else MCTS,
            (self.game, self.select, self.evaluate),
        )
        mcts = kind(*given, expand=self.expand, root_noise=noise, recorder=recorder)

        def ask(tree: Tree, simulations_left: int) -> bool:
            progress(1 - simulations_left / self.num_simulations)
            return stop()

        mcts.run(self.state, int(self.num_simulations), self.seed, stop=ask)
        return recorder.recording()


def _knob(value: Any, low: float, high: float, log: bool = False) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "log": log}


class LiveExplorer(Explorer):
    """An explorer whose search can be run again with other settings, by sliders or from Python.

    Args:
        search: what to run.

    Attributes (beside those of Explorer; all shared with the browser):
        knobs: the settings that can be changed, with their values; set them with ``rerun``.
        running: whether a search is on its way.
        progress: how much of it is done, 0 to 1.

    Raises:
        ValueError: as ``MCTS.run``.
    """

    running = traitlets.Bool(False).tag(sync=True)
    progress = traitlets.Float(0.0).tag(sync=True)

    _css = assets.styles("explorer.css", "tree.css", "search_settings.css")

    def __init__(self, search: Search, **kwargs) -> None:
        self._worker = Worker()  # first: close() is called even if the search raises
        opening = None if search.moves is None else [*search.moves]
        told = {"knobs": search.knobs(), "search": _told(search)}
        super().__init__(search.run(), opening=opening, **told, **kwargs)
        self._search = self._asked = search
        self._error: BaseException | None = None

    def rerun(self, **changes: Any) -> "LiveExplorer":
        """Searches again, waits for the end, and shows the new tree; the old selection is kept.

        Args:
            **changes: new values for some of ``knobs``: c, fpu, noise (the fraction of Dirichlet
                noise in the root's prior), num_simulations, seed.

        Returns:
            The explorer itself, with the new ``recording``.

        Raises:
            ValueError: there is no such knob, or it cannot take the value.
            Exception: what the search raised; the tree shown is still the old one. Or what a
                function that observes the explorer raised; the tree shown is the new one.
        """
        self._begin(self._search.turned(**changes))
        try:
            self._worker.wait()
        except KeyboardInterrupt:
            self._worker.cancel()
            self._settle("Interrupted: the tree shown is the one from before.")
            raise
        if self._error is not None:
            raise self._error
        return self

    def stop(self) -> None:
        """Ends a search that is running; the tree so far is shown."""
        self._worker.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for a search that a slider has started; whether it is over in time (seconds)."""
        return self._worker.wait(timeout)

    def to_html(self, path: str | Path | None = None, *, live: bool | None = None) -> str:
        """As ``Explorer.to_html``, with sliders that search in the page.

        Args:
            path: where to write it; None only gives the text back.
            live: False leaves the sliders out, and True insists on them. None: they are there if
                the page can run this search. It can if rules and evaluator are the package's, or
                the rules are a module as ``RulesGame`` describes it; if not, the page says so.

        Raises:
            OSError: the file could not be written; one that was there before is kept.
            ValueError: ``live=True``, and the page cannot run this search.
        """
        state, engine = {name: getattr(self, name) for name in self.IN_A_FILE}, None
        state |= {"knobs": {}, "search": {}}
        try:
            if live is not False:
                engine = engine_of(self._search)
                state |= {"knobs": self._search.knobs(), "search": in_page(self._search)}
        except ValueError as problem:
            if live:
                raise
            state["notice"] = state["notice"] or f"{problem} This page replays the search."
        text = assets.page(self._title(), self._esm, self._css, state, engine)
        if path is not None:
            assets.write_page(path, text)
        return text

    def close(self) -> None:
        """Takes the explorer off the page; a search that is running is given up."""
        self._worker.cancel()
        self.running = False
        super().close()

    def _handle_message(self, content: dict[str, Any]) -> None:
        match content.get("do"):
            case "turn":
                knobs = content.get("knobs")
                if not isinstance(knobs, dict):
                    raise not_known(content)
                try:
                    self._begin(self._asked.turned(**knobs))
                except Exception:
                    self.send({"do": "refused"})  # the sliders go back to what holds
                    raise
            case "stop":
                self.stop()
            case _:
                super()._handle_message(content)

    def _begin(self, search: Search) -> None:
        knobs = search.knobs()
        self._asked, self._error = search, None
        with self.hold_sync():
            self.knobs, self.running, self.progress = knobs, True, 0.0

        def done(recording: Recording) -> None:
            try:
                self._replace(recording, search)
            except Exception as error:  # of a function that observes the explorer, say
                self._failed(error)

        self._worker.start(search.run, done, self._failed, self._advanced)

    def _advanced(self, share: float) -> None:
        self.progress = share

    def _failed(self, error: BaseException) -> None:
        self._error = error
        text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        text = " ".join(text.split()).rstrip(".: ")
        if self._search is self._asked:
            self._settle(f"The tree is the new one, but showing it failed: {text}.")
        else:
            self._settle(f"The search failed: {text}. The tree shown is the one from before.")

    def _settle(self, notice: str) -> None:
        """No search runs any more; the knobs tell how the tree shown was made."""
        self._asked = self._search
        with self.hold_sync():
            self.knobs, self.running, self.notice = self._search.knobs(), False, notice

    def _replace(self, recording: Recording, search: Search) -> None:
        """Shows a new recording in the place of the old."""
        before = self.record
        rows, record = len(before["steps"]["leaf"]), record_of(recording)
        new_rows = len(record["steps"]["leaf"])
        step = new_rows if self.step == rows else min(self.step, new_rows)
        pinned, is_same = self.selected, search.state == self._search.state
        selected = same_position(before, pinned, record) if pinned is not None and is_same else None
        step = step if is_same else new_rows
        self._search = search
        with self.hold_sync():
            try:
                self.recording, self.record, self.search = recording, record, _told(search)
                self.opening = None if search.moves is None else [*search.moves]
            finally:  # an observer may raise; step and node of the old tree must not stay
                self.step, self.selected = step, selected
            self.running, self.progress, self.notice = False, 1.0, remark(record)


def _told(search: Search) -> dict[str, Any]:
    """What a page needs to know of the search; empty if it cannot run it."""
    try:
        return in_page(search)
    except ValueError:
        return {}


def same_position(record: Record, node: int, other: Record) -> int:
    """The node of ``other`` behind the same moves as ``node`` of ``record``.

    Where the other tree does not reach as deep, it is the last one on the way.
    """
    behind, found = children(other), 0
    for step in path_to(record, node)[1:]:
        way = found, record["nodes"]["action"][step]
        if way not in behind:
            break
        found = behind[way]
    return found


@old_arguments(proves="use_solver")
def explore(
    game: Game,
    state: State | str | list[int] | None = None,
    *,
    select: SelectionRule | None = None,
    evaluate: Evaluator | None = None,
    num_simulations: int = 200,
    expand: str = "one",
    root_noise: RootNoise | GumbelNoise | None = None,
    seed: int = 0,
    use_solver: bool = False,
    tour: Iterable[Stop | tuple] = (),
) -> LiveExplorer:
    """Runs a search with a recorder and shows it, with sliders that run it again.

    Args:
        game: the rules.
        state: where to search from, or moves that lead there, such as "44443"; None for the start.
        select: the tree policy or selection rule; None for ``uct(1.0)``, and with a network
            ``puct()``.
        evaluate: the evaluator; None for one random rollout. A network, a loaded network, a run's
            folder or a player with one will do: see ``learning.resolve_evaluator``.
        num_simulations: how many simulations to run.
        expand: "one" new node a simulation, or "all" children of the leaf.
        root_noise: Dirichlet noise in the root's prior, or Gumbel noise for the tree policy
            ``gumbel()``; None for none.
        seed: of the search; the same seed gives the same tree.
        use_solver: whether to search with ``MCTSSolver``: nodes whose end is proven are marked.
        tour: moments to show one after the other, each with a sentence: tuples (simulation, phase,
            text) or a ``Stop``, such as ``(3, "select", "Press →: select compares the moves.")``.

    Raises:
        ValueError: as ``MCTS.run`` and ``resolve_evaluator``; a stop that does not fit the search.
    """
    if evaluate is None or isinstance(evaluate, FunctionType):
        evaluate, usual = evaluate or random_rollout(), uct(1.0)
    else:
        # torch: few searches need it
        from azlearn.learning import NetworkEvaluator, resolve_evaluator

        evaluate = resolve_evaluator(evaluate, game)
        usual = puct() if isinstance(evaluate, NetworkEvaluator) else uct(1.0)
    if state is None or isinstance(state, str | bytes | list):
        moves, states = read_moves(game, state or "")
        state = states[-1]
    else:
        moves = moves_to(game, state)
    return LiveExplorer(
        Search(
            game,
            state,
            select or usual,
            evaluate,
            num_simulations,
            expand,
            root_noise,
            seed,
            use_solver,
            None if moves is None else tuple(moves),
        ),
        tour=tour,
    )


def explore_tree(tree: Tree) -> Explorer:
    """Shows a tree that was not recorded: its final statistics, with nothing to step through."""
    return Explorer(tree)
