"""The explorer: steps through a recorded search, in a notebook or in an HTML file. A live explorer
can also run its search again with other settings."""

import json
import math
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType
from typing import Any

import traitlets

from azlearn.games import Game, State
from azlearn.games.game import check_state
from azlearn.games.notation import read_moves
from azlearn.old_names import old_arguments
from azlearn.search import (
    Evaluator,
    GumbelNoise,
    Node,
    Recording,
    RootNoise,
    SelectionRule,
    Tree,
    puct,
    random_rollout,
    uct,
)
from azlearn.viz import assets, tree_graph, tree_picture
from azlearn.viz.background import Worker
from azlearn.viz.formatting import signed
from azlearn.viz.game_results import record_of
from azlearn.viz.live_search import Search
from azlearn.viz.opening import opening as moves_to
from azlearn.viz.page_search import engine_of, told
from azlearn.viz.picture import Picture
from azlearn.viz.record import check, remark
from azlearn.viz.replaying import Record, children, label_of, path_to, preferred, winner_at
from azlearn.viz.tour import Stop, checked_tour
from azlearn.viz.widget import TreeWidget, not_known, whole_number

_GAME_NAMES = {"connect_four": "Connect Four", "tic_tac_toe": "tic-tac-toe"}


class Explorer(TreeWidget):
    """Shows a recorded search: its tree, its four phases, and the reasons for every choice.

    Args:
        recording: the result of ``Recorder.recording()`` or its ``to_dict()``, or a Tree that was
            not recorded, to show its final statistics.
        tour: moments to show in order, each with a short text; see ``Stop``.

    Its still pictures show the finished tree. The browser shares its attributes.

    Attributes:
        record: the record that the browser replays; see ``Recording.to_dict``. NaN and infinity,
            which JSON does not have, become None.
        step: the number of rows of the record replayed so far.
        phase: the phase of the last row that is shown: "select", "expand", "evaluate" or "backup".
        selected: index of the node pinned in the side panel; None while the panel follows the
            search. ``selected_node`` is the Node itself.
        notice: a message above the tree; "" for none.
        opening: actions that lead from the start of the game to the root, in one possible order;
            None if unknown.
        knobs: the settings of the search that can be changed; empty if the search cannot be rerun.
        search: the description from which a page without a kernel can run the search (see
            ``page_search.in_page``); empty if a page cannot run it.
        tour: the stops in the browser's format.
        autoplay: how many seconds the page takes to play the search by itself, once, when it comes
            into view; 0 for never. Unless it is 0, still pictures hide where the search ends.

    Raises:
        ValueError: a record given as a dict cannot be shown, or a stop of the tour is invalid.
    """

    record = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    knobs = traitlets.Dict().tag(sync=True)
    search = traitlets.Dict().tag(sync=True)
    opening = traitlets.List(allow_none=True, default_value=None).tag(sync=True)
    tour = traitlets.List().tag(sync=True)
    autoplay = traitlets.Float(0.0, min=0.0).tag(sync=True)

    def __init__(
        self,
        recording: Recording | Tree | dict[str, Any],
        tour: Iterable[Stop | tuple] = (),
        **kwargs,
    ) -> None:
        self.recording, record = _opened(recording)
        kwargs["tour"] = checked_tour(record, tour)
        rows = len(record["steps"]["leaf"])
        kwargs.setdefault("step", 0 if kwargs.get("autoplay") else rows)
        kwargs.setdefault("notice", remark(record))
        if self.recording is not None:
            tree = self.recording.tree
            kwargs.setdefault("opening", moves_to(tree.game, tree.root.state))
        super().__init__(record=record, **kwargs)

    _esm = assets.module(assets.EXPLORER)
    _css = assets.styles("explorer.css", "tree.css")

    SET_BY_PAGE = ("step", "phase", "selected")
    STILL = "A still picture of the tree. Run the cell to open the explorer."
    IN_A_FILE = (
        *("record", "step", "phase", "selected", "opening", "notice", "tour"),
        *("knobs", "search", "autoplay"),
    )

    def _handle_message(self, content: dict[str, Any]) -> None:
        if content.get("do") != "grow":
            raise not_known(content)
        self.grow(whole_number(content, "node"))

    def grow(self, node: int) -> None:
        """Adds a node's children that the record left out because there were too many.

        Raises:
            ValueError: there is no such node, or the explorer has only a record, without a search.
        """
        if self.recording is None:
            raise ValueError("The record does not contain these nodes. Run the search again.")
        last = len(self.recording.nodes) - 1
        if not 0 <= node <= last:
            raise ValueError(f"node must be the number of a node, 0 to {last}, not {node!r:.60}.")
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
                f"selected must be the number of a node, 0 to {nodes - 1}, not {proposal['value']}."
            )
        return proposal["value"]

    @property
    def selected_node(self) -> Node | None:
        """The clicked node of the finished search; before any click, the root.

        It is None if only a dict was given.
        """
        return None if self.recording is None else self.recording.nodes[self.selected or 0]

    def describe(self) -> str:
        """Describes the finished tree in a few sentences, for the alternative text of pictures."""
        size = len(self.record["nodes"]["parent"])
        if self.autoplay:
            last, game = self.record["steps"]["simulation"][-1], game_name(self.record)
            return f"The root of a search on {game}. Run the cell to watch {last} simulations."
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
        """The part of the finished tree that fits, as SVG text of at most ``max_nodes`` nodes."""
        return tree_picture.to_svg(self.record, max_nodes, self.describe())

    def to_picture(self, max_nodes: int = 20) -> Picture:
        """The still picture with its alternative text, to display in a notebook."""
        alt = self.describe()
        max_nodes = 1 if self.autoplay else max_nodes
        return Picture(alt, svg=tree_picture.to_svg(self.record, max_nodes, alt, follow=True))

    def to_graphviz(self, max_nodes: int = 40):
        """The most visited part of the finished tree as a ``graphviz.Digraph``, for print.

        Unlike the still pictures, it has no boards and is as wide as the tree needs. To save it for
        a paper, call ``.render("tree", format="pdf")``. Nothing else uses Graphviz.

        If Graphviz's program ``dot`` is not installed, prints a message and returns the explorer's
        own picture instead.
        """
        if shutil.which("dot") is None:
            print("Graphviz's program `dot` is not installed. This is the explorer's own picture.")
            return self.to_picture(max_nodes)
        return tree_graph.digraph(self.record, max_nodes)

    def _title(self) -> str:
        return f"A search on {game_name(self.record)}, step by step"

    def __repr__(self) -> str:
        return f"Explorer: {self.describe()}"


def game_name(record: dict[str, Any]) -> str:
    """The name of a record's game, for use in a sentence."""
    name = record["game"]["name"]
    return _GAME_NAMES.get(name, name.replace("_", " "))


def _opened(recording) -> tuple[Recording | None, dict[str, Any]]:
    """Returns (recording, record to show); the recording is None if only a dict was given."""
    if isinstance(recording, Tree):
        recording = Recording.of_tree(recording)
    if isinstance(recording, dict):
        record = _sendable(recording)
        check(record)
        return None, record
    return recording, record_of(recording)


def _sendable(record: dict[str, Any]) -> dict[str, Any]:
    """Makes a record valid JSON: NaN and infinity become None, and lone surrogates become "?"."""
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


class LiveExplorer(Explorer):
    """An explorer that can rerun its search with other settings, from sliders or from Python.

    Args:
        search: the search to run.

    It has the attributes of ``Explorer`` and two more, which the browser shares.

    Attributes:
        knobs: as in ``Explorer``, for each its value; set them with ``rerun``.
        running: whether a search is running.
        progress: how much of it is done, 0 to 1.

    Raises:
        ValueError: as in ``MCTS.run``.
    """

    running = traitlets.Bool(False).tag(sync=True)
    progress = traitlets.Float(0.0).tag(sync=True)

    _css = assets.styles("explorer.css", "tree.css", "search_settings.css")

    def __init__(self, search: Search, **kwargs) -> None:
        self._worker = Worker()  # first, because close() is called even if the search raises
        opening = None if search.moves is None else [*search.moves]
        kwargs |= {"knobs": search.knobs(), "search": told(search)}
        super().__init__(search.run(), opening=opening, **kwargs)
        self._search = self._asked = search
        self._error: BaseException | None = None

    def rerun(self, **changes: Any) -> "LiveExplorer":
        """Runs the search again, waits for its end, and shows the new tree with the old selection.

        Args:
            **changes: new values for some of ``knobs``: c, fpu, noise (the fraction of Dirichlet
                noise in the root's prior), num_simulations, seed, moves (to the root).

        Returns:
            The explorer itself, with the new ``recording``.

        Raises:
            ValueError: there is no such knob, or the value is invalid.
            Exception: an exception raised by the search (the old tree is still shown) or by a
                function that observes the explorer (the new tree is shown).
        """
        self._begin(self._search.turned(**changes))
        try:
            self._worker.wait()
        except KeyboardInterrupt:
            self._worker.cancel()
            self._settle("The search was interrupted. The previous tree is shown.")
            raise
        if self._error is not None:
            raise self._error
        return self

    def stop(self) -> None:
        """Ends a running search; the tree so far is shown."""
        self._worker.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for a search started by a slider, and returns whether it ended in time.

        ``timeout`` is in seconds; None waits as long as it takes.
        """
        return self._worker.wait(timeout)

    def to_html(self, path: str | Path | None = None, *, live: bool | None = None) -> str:
        """Makes one HTML file as ``Explorer.to_html`` does, with sliders that search in the page.

        Args:
            path: the file to write; None only returns the text.
            live: True requires sliders and False leaves them out. None adds them if a page can
                run this search; otherwise the page says why it cannot. A page can run UCT, PUCT
                and Gumbel searches with the package's evaluators, on games with a rules module
                as in ``RulesGame``.

        Returns:
            The HTML text.

        Raises:
            OSError: the file could not be written; an earlier file is kept.
            ValueError: ``live`` is True and a page cannot run this search.
        """
        engine, why = None, ""
        if live is not False:
            try:
                engine = engine_of(self._search)
            except ValueError as problem:
                if live:
                    raise
                why = f"{problem} This page replays the search."
        still = {"knobs": {}, "search": {}, "notice": self.notice or why} if engine is None else {}
        return self._written(path, still, engine)

    def close(self) -> None:
        """Removes the explorer from the page and cancels a running search."""
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
                    self.send({"do": "refused"})  # the sliders go back to the current values
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
            except Exception as error:  # for example from a function that observes the explorer
                self._failed(error)

        self._worker.start(search.run, done, self._failed, self._advanced)

    def _advanced(self, share: float) -> None:
        self.progress = share

    def _failed(self, error: BaseException) -> None:
        self._error = error
        text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        text = " ".join(text.split()).rstrip(".: ")
        if self._search is self._asked:
            self._settle(f"The search finished, but showing the new tree failed: {text}.")
        else:
            self._settle(f"The search failed: {text}. The previous tree is shown.")

    def _settle(self, notice: str) -> None:
        """Shows a notice when a search has failed, and resets the knobs to the tree shown."""
        self._asked = self._search
        with self.hold_sync():
            self.knobs, self.running, self.notice = self._search.knobs(), False, notice

    def _replace(self, recording: Recording, search: Search) -> None:
        """Shows a new recording instead of the old one."""
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
                self.recording, self.record, self.search = recording, record, told(search)
                self.opening = None if search.moves is None else [*search.moves]
            finally:  # even if an observer raises, replace the old tree's step and node
                self.step, self.selected = step, selected
            self.running, self.progress, self.notice = False, 1.0, remark(record)


def same_position(record: Record, node: int, other: Record) -> int:
    """Finds the node of ``other`` that is reached by the same moves as ``node`` of ``record``.

    If the other tree lacks some of these moves, returns its last node on this path.
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
    autoplay: float = 0.0,
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
        expand: "one" to add one node per simulation, or "all" to add all children of the leaf.
        root_noise: Dirichlet noise in the root's prior, or Gumbel noise for the tree policy
            ``gumbel()``; None for none.
        seed: the random seed of the search; the same seed gives the same tree.
        use_solver: whether to search with ``MCTSSolver``; proven nodes are then marked.
        tour: moments to show in order, each with a short text: ``Stop`` objects or tuples
            (simulation, phase, text) such as ``(3, "select", "Press →: select compares the
            moves.")``.
        autoplay: how many seconds the page takes to play the search once, by itself, as soon as it
            is in view; a click or a key stops it. 0 shows the end of the search.

    Raises:
        ValueError: as in ``MCTS.run`` and ``resolve_evaluator``, or a stop of the tour is invalid.
    """
    if evaluate is None or isinstance(evaluate, FunctionType):
        evaluate, usual = evaluate or random_rollout(), uct(1.0)
    else:
        # imports torch, which few searches need
        from azlearn.learning import NetworkEvaluator, resolve_evaluator

        evaluate = resolve_evaluator(evaluate, game)
        usual = puct() if isinstance(evaluate, NetworkEvaluator) else uct(1.0)
    if state is None or isinstance(state, str | bytes | list):
        moves, states = read_moves(game, state or "")
        state = states[-1]
    else:
        check_state(game, state)
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
        autoplay=autoplay,
    )


def explore_tree(tree: Tree) -> Explorer:
    """Shows a tree that was not recorded: its final statistics, with nothing to step through."""
    return Explorer(tree)
