"""The view of a play table: everything that the browser draws, and its texts."""

from itertools import pairwise
from typing import Any

from azlearn.games import Game, State
from azlearn.games.footprints import (
    Footprint,
    cell_names,
    coordinates_of,
    footprint,
    pass_among,
    told,
)
from azlearn.games.game import drawing_of
from azlearn.games.notation import labels
from azlearn.viz.boards import highlights, marks
from azlearn.viz.formatting import signed
from azlearn.viz.game_results import margin, owners
from azlearn.viz.game_review import GameReview
from azlearn.viz.play_moves import Line
from azlearn.viz.play_opponent import MoveReport
from azlearn.viz.solver_hints import Truth

NO_BOARD = {
    "cells": [], "last": -1, "left": -1, "line": [], "owners": "", "taken": [],
    "pass": -1, "passed": -1, "lands": [], "starts": [], "names": [],
}  # fmt: skip


def view(table) -> dict[str, Any]:
    """Everything that the browser shows of a PlayTable, ready for JSON."""
    game, line, worker = table.game, table.line, table._worker
    has_board, written = hasattr(game, "cells"), labels(game)
    legal = [] if table.is_over else game.legal_actions(table.state)
    beside, (winner, ended) = coordinates_of(game), ending(table)
    has_level = table.level is not None
    return {
        "game": {
            "name": game.name,
            "rows": game.rows if has_board else 0,
            "cols": game.cols if has_board else 0,
            "num_actions": game.num_actions,
            "drawing": drawing_of(game)._asdict(),
            "coordinates": beside and beside._asdict(),
        },
        **(board(game, line, legal) if has_board else NO_BOARD),
        "legal": legal,
        "labels": written,
        "mover": game.to_play(table.state),
        "yours": not table.is_over and not table.is_thinking and table.is_your_turn,
        "thinking": table.is_thinking,
        "stopping": table.is_stopping,
        "can_stop": worker is not None and worker.can_stop,
        "over": table.is_over,
        "you": table.you,
        "alone": worker is None,
        "opponent": "" if worker is None else worker.name,
        "say": " ".join(filter(None, (sentence(table), line.remark))),
        "preparing": f"Preparing the search of {worker.name} (about 10 seconds, only once) …"
        if table.is_preparing
        else "",
        "result": {"winner": winner, "text": ended} if ended else None,
        "moves": " ".join(written[action] for action in line.actions),
        "text": line.text,
        "error": table.error,
        "turn": len(line),
        "of": len(line.record),
        "waits": table.is_waiting and not table.is_over and not table.is_your_turn,
        "heard": table._num_messages,  # so that every message changes the view
        "expects": worker is not None and worker.may_expect,
        "searches": worker is not None and worker.may_search,
        "opinion": opinion(game, line.last_report, table.you),
        "visits": visits(game, line.last_report),
        "why": table.last_search is not None,
        "best": best(game, table.state, table.truth),
        "review": review(table.reviewed),
        "level": {"now": table.level, "steps": sorted({*worker.levels, table.level})}
        if has_level
        else None,
    }


def board(game: Game, line: Line, legal: list[int]) -> dict[str, Any]:
    """The position on a board and the effects of the legal moves, with the keys of ``NO_BOARD``.

    ``last`` and ``left`` are the cells where the last move ended and began, ``passed`` is the
    player who passed with it (-1: nobody), and ``taken`` is the number of stones each player has
    captured, on boards of crossings.
    """
    state = line.states[-1]
    steps = _footprints(game, state, legal)
    view = NO_BOARD | {
        "cells": game.cells(state),
        "line": highlights(game, state),
        "owners": owners(game, state),
        "pass": pass_among(game, legal, steps),
        "lands": [step.target for step in steps],
        "starts": [step.origin for step in steps],
        "names": cell_names(game),
    }
    if drawing_of(game).field == "crossings":
        boards = [game.cells(each) for each in line.states]
        view["taken"] = [
            sum(max(0, a.count(stone) - b.count(stone)) for a, b in pairwise(boards))
            for stone in (2, 1)
        ]
    if line:
        before, action = line.states[-2], line.actions[-1]
        could = game.legal_actions(before)
        steps = _footprints(game, before, could)
        view["left"], view["last"], _ = steps[could.index(action)]
        if action == pass_among(game, could, steps):
            view["passed"] = game.to_play(before)
    return view


def ending(table, has_mark: bool = False) -> tuple[int, str]:
    """The winner (0, 1, or -1 for a draw) and the result as text; "" while the game goes on.

    Args:
        has_mark: whether to add the winner's mark.
    """
    if not table.is_over:
        return -1, ""
    if table.result == 0:
        return -1, "A draw"
    winner, margin_ = (
        table.you if table.result > 0 else 1 - table.you,
        margin(table.game, table.state),
    )
    mark = marks(table.game)[winner]
    if table._worker is None:
        return winner, f"{mark} has won{margin_}"
    who, have = ("You", "have") if winner == table.you else (table._worker.name, "has")
    return winner, f"{who}{f' ({mark})' if has_mark else ''} {have} won{margin_}"


def _moves(line) -> str:
    return "1 move" if len(line) == 1 else f"{len(line)} moves"


def sentence(table) -> str:
    """One or two sentences that say whose turn it is or how the game ended."""
    game, line, you = table.game, table.line, table.you
    if table.given_up:
        return f"{table.given_up.removesuffix('.')}: you have won after {_moves(line)}."
    if table.is_over:
        return f"{ending(table, has_mark=True)[1]} after {_moves(line)}."
    last = told(game, line.states[-2], line.actions[-1]) if line else ""
    side = game.to_play(table.state) if table._worker is None else you
    mine, theirs = marks(game)[side], marks(game)[1 - side]
    if table._worker is None:
        return f"{theirs} played {last}. {mine} is to move." if line else f"{mine} is to move."
    name = table._worker.name
    if table.is_stopping:
        return f"{name} ({theirs}) has been asked to move now."
    if table.is_thinking:
        return f"{name} ({theirs}) is thinking …"
    if not table.is_your_turn:
        how = ": “Let it move”, or “Swap sides” to move for it." if table.is_waiting else "."
        return f"{name} ({theirs}) is to move{how}"
    answered = line and line.reports[-1] is not None
    played = f"{name} played {last}. " if answered else f"Last move: {last}. " if line else ""
    return f"{played}Your turn: you are {mine}."


def by_name(game: Game, text: str) -> str:
    """The text with names in place of the players' marks: Black's ● is light on a dark page."""
    for mark, name in zip(marks(game), drawing_of(game).players, strict=True):
        text = text.replace(mark, name)
    return text


def opinion(game: Game, report: MoveReport | None, you: int = 0) -> dict[str, Any] | None:
    """The evaluation bar: the first player's value, and a text that says who is ahead and how far.

    Args:
        you: the reader's side, for the text.
    """
    if report is None or report.value is None:
        return None
    value, size, digits = report.value, abs(report.value), 0 if report.exact else 2
    number = signed(value, digits)
    side = -1 if size < (0.005 if report.exact else 0.1) else 0 if value > 0 else 1
    if side < 0:
        label = "a draw" if report.exact else "about even"
    else:
        far = (
            "winning" if report.exact or size >= 0.8 else "ahead" if size >= 0.3 else "a bit ahead"
        )
        label = f"you are {far}" if side == you else f"{report.name} is {far}"
    says = "knows" if report.exact else f"expects {number} for {marks(game)[0]}"
    return {
        "value": round(value, 2) + 0.0,  # + 0.0 turns -0.0 into 0.0
        "number": number,
        "text": f"{report.name} {says}: {label}",
        "side": side,
        "label": label,
    }


def visits(game: Game, report: MoveReport | None) -> dict[str, Any] | None:
    """The heat map: the visit share of each move, on the cell where it would have landed.

    The shares of moves that land on the same cell are added.
    """
    total = sum(report.visits) if report is not None and report.visits else 0
    if not total:
        return None
    actions, written, on = game.legal_actions(report.state), labels(game), {}
    share_of = {action: report.visits[action] / total for action in actions}
    ranked = sorted(actions, key=lambda action: -share_of[action])
    listed = ", ".join(f"{written[a]}:\u00a0{_percent(share_of[a])}" for a in ranked)
    for action, step in zip(actions, _footprints(game, report.state, actions), strict=False):
        on[step.target] = on.get(step.target, 0.0) + share_of[action]
    on.pop(-1, None)  # moves that do not end on a cell
    return {
        "cells": list(on),
        "shares": list(on.values()),
        "texts": [_percent(share) for share in on.values()],
        "text": f"{report.name} chose {written[report.action]} after {total:,}"
        f" simulation{'s' * (total != 1)}. Visits: {listed}",
    }


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{int(100 * share + 0.5)}%"


def best(game: Game, state: State, known: Truth | str | None) -> dict[str, Any] | None:
    """The solver's answer, or a message that says why there is none."""
    if known is None:
        return None
    if isinstance(known, str):
        return {"text": known, "actions": [], "best": [], "cells": [], "starts": [], "signs": []}
    actions = [action for action, sign in enumerate(known.signs) if sign]
    is_decided = any(sign not in ("", "D") for sign in known.signs)
    steps = _footprints(game, state, actions)
    legend = " W wins, D draws, L loses; the number counts the winner's moves."
    return {
        "text": known.text + legend * is_decided,
        "actions": actions,
        "best": known.best,
        "cells": [step.target for step in steps],
        "starts": [step.origin for step in steps],
        "signs": [known.signs[action] for action in actions],
    }


def review(known: GameReview | str | None) -> dict[str, Any]:
    """The values of a reviewed game and its worst moves; ``text`` is "" if nobody asked."""
    if not isinstance(known, GameReview):
        return {"text": known or "", "values": [], "worst": []}
    worst = known.worst()
    found = "No move lost anything" if not worst else "Moves that lost the most"
    return {
        "text": f"{found}, according to {known.judge}{':' if worst else '.'}",
        "values": [round(value, 3) for value in known.values],
        "worst": [{"at": move.ply, "text": move.text} for move in worst],
    }


def _footprints(game: Game, state: State, actions: list[int]) -> list[Footprint]:
    """The effect of each of these legal moves on the board; [] if the game has no board."""
    if not hasattr(game, "cells"):
        return []
    return [footprint(game, state, action) for action in actions]
