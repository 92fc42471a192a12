"""What the browser draws of a play table, and its sentences."""

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
from azlearn.viz.endings import margin, owners
from azlearn.viz.play_moves import Line
from azlearn.viz.play_opponent import Chair, Thought
from azlearn.viz.play_truth import Truth

MINUS = "\u2212"


def view(table) -> dict[str, Any]:
    """Everything of a PlayTable that the browser shows, ready for JSON."""
    game, state, line, chair = table.game, table.state, table.line, table.chair
    has_board, written = hasattr(game, "cells"), labels(game)
    legal = [] if table.is_over else game.legal_actions(state)
    steps, beside = _footprints(game, state, legal), coordinates_of(game)
    last = footprint(game, line.states[-2], line.actions[-1]) if has_board and line else Footprint()
    return {
        "game": {
            "name": game.name,
            "rows": game.rows if has_board else 0,
            "cols": game.cols if has_board else 0,
            "num_actions": game.num_actions,
            "drawing": drawing_of(game)._asdict(),
            "coordinates": beside and beside._asdict(),
        },
        "cells": game.cells(state) if has_board else [],
        "last": last.target,
        "left": last.origin,
        "line": highlights(game, state) if has_board else [],
        "owners": owners(game, state) if has_board else "",
        "taken": taken(game, line),
        "pass": pass_among(game, legal, steps) if has_board else -1,
        "passed": passed(game, line),
        "legal": legal,
        "lands": [step.target for step in steps],
        "starts": [step.origin for step in steps],
        "labels": written,
        "names": cell_names(game) if has_board else [],
        "mover": game.to_play(state),
        "yours": not table.is_over and not table.is_thinking and table.is_your_turn,
        "thinking": table.is_thinking,
        "stopping": table.is_stopping,
        "can_stop": chair is not None and chair.can_stop,
        "over": table.is_over,
        "you": table.you,
        "alone": chair is None,
        "opponent": "" if chair is None else chair.name,
        "say": " ".join(filter(None, (sentence(table), line.remark))),
        "preparing": preparing(table),
        "result": result(table),
        "moves": " ".join(written[action] for action in line.actions),
        "text": line.text,
        "error": table.error,
        "turn": len(line),
        "of": len(line.record),
        "waits": table.is_waiting and not table.is_over and not table.is_your_turn,
        "heard": table._num_heard,  # so that every message changes something here
        "expects": chair is not None and chair.may_expect,
        "searches": chair is not None and chair.may_search,
        "opinion": opinion(game, line.last_thought, table.you),
        "visits": visits(game, line.last_thought),
        "why": table.last_search is not None,
        "best": best(game, state, table.truth),
        "level": level(chair),
    }


def sentence(table) -> str:
    """Whose turn it is or how the game ended, in one or two sentences."""
    game, line = table.game, table.line
    last = told(game, line.states[-2], line.actions[-1]) if line else ""
    ended = f"after {len(line)} moves."
    won = f"won{margin(game, table.state)} {ended}"
    if table.given_up:
        return f"{table.given_up.removesuffix('.')}: you have won {ended}"
    if table.result == 0:
        return f"A draw {ended}"
    if table.chair is None:
        mover = game.to_play(table.state)
        mine, theirs = (marks(game)[side] for side in (mover, 1 - mover))
        if table.is_over:
            return f"{mine if game.outcome(table.state) > 0 else theirs} has {won}"
        return f"{theirs} played {last}. {mine} is to move." if line else f"{mine} is to move."
    name = table.chair.name
    mine, theirs = (marks(game)[side] for side in (table.you, 1 - table.you))
    if table.is_over:
        who = f"You ({mine}) have" if table.result > 0 else f"{name} ({theirs}) has"
        return f"{who} {won}"
    if table.is_stopping:
        return f"{name} ({theirs}) is asked to move with what it has."
    if table.is_thinking:
        return f"{name} ({theirs}) is thinking …"
    if not table.is_your_turn:
        how = ": “Let it move”, or “Swap sides” to move for it." if table.is_waiting else "."
        return f"{name} ({theirs}) is to move{how}"
    answered = line and line.thoughts[-1] is not None
    played = f"{name} played {last}. " if answered else f"Last move: {last}. " if line else ""
    return f"{played}Your turn: you are {mine}."


def passed(game: Game, line: Line) -> int:
    """Who has passed with the last move; -1 for nobody."""
    if not line or not hasattr(game, "cells"):
        return -1
    before = line.states[-2]
    legal = game.legal_actions(before)
    passing = pass_among(game, legal, _footprints(game, before, legal))
    return game.to_play(before) if line.actions[-1] == passing else -1


def taken(game: Game, line: Line) -> list[int]:
    """How many stones each player has taken off a board of crossings; [] on others, and where
    stones change their colour."""
    if drawing_of(game).field != "crossings":
        return []
    movers = [
        game.to_play(state)
        for state, step in zip(line.states, line.footprints(), strict=False)
        if step.origin < 0 <= step.target
    ]
    first, now = game.cells(line.states[0]), game.cells(line.states[-1])
    lost = [first.count(who + 1) + movers.count(who) - now.count(who + 1) for who in (0, 1)]
    return lost[::-1] if min(lost) >= 0 else []


def preparing(table) -> str:
    """Why the opponent's first move takes long; "" where it does not."""
    if not table.is_preparing:
        return ""
    return f"Preparing the search of {table.chair.name}: about 10 seconds, once."


def result(table) -> dict[str, Any] | None:
    """The end of the game in a word or two, and its winner: 0, 1, or -1 for a draw."""
    outcome = table.game.outcome(table.state)
    if table.given_up:
        return {"winner": table.you, "text": "You have won"}
    if outcome is None:
        return None
    if outcome == 0:
        return {"winner": -1, "text": "A draw"}
    mover = table.game.to_play(table.state)
    winner = mover if outcome > 0 else 1 - mover
    if table.chair is None:
        who = f"{marks(table.game)[winner]} has won"
    else:
        who = "You have won" if winner == table.you else f"{table.chair.name} has won"
    return {"winner": winner, "text": who + margin(table.game, table.state)}


def opinion(game: Game, thought: Thought | None, you: int = 0) -> dict[str, Any] | None:
    """The evaluation bar: a number for the first player, and in words whose it is.

    Args:
        you: the reader's side, for the words of its label.
    """
    if thought is None or thought.value is None:
        return None
    value, (first, second), digits = thought.value, marks(game), 0 if thought.exact else 2
    shown = round(value, digits) + 0.0  # + 0.0: no minus zero
    number = f"{shown:{'+' if shown else ''}.{digits}f}".replace("-", MINUS)
    ahead = "" if abs(value) < (0.005 if thought.exact else 0.1) else first if value > 0 else second
    if thought.exact:
        verdict = f"{ahead} wins" if ahead else "a draw"
        text = f"{thought.name} knows: {verdict}"
    else:
        text = f"{thought.name} expects {number} for {first}: "
        text += f"{ahead} is ahead" if ahead else "about even"
    side = -1 if not ahead else 0 if value > 0 else 1
    told = {"value": round(value, 2) + 0.0, "number": number, "text": text, "side": side}
    return told | {"label": _in_words(thought, abs(value), side, you)}


def _in_words(thought: Thought, size: float, side: int, you: int) -> str:
    """Who is ahead, and how far, as the opponent sees it."""
    if side < 0:
        return "a draw" if thought.exact else "about even"
    far = "winning" if thought.exact or size >= 0.8 else "ahead" if size >= 0.3 else "a bit ahead"
    return f"you are {far}" if side == you else f"{thought.name} is {far}"


def visits(game: Game, thought: Thought | None) -> dict[str, Any] | None:
    """The heat-map: each move's share of the visits, where it would have landed; the sum of those
    that land together."""
    total = sum(thought.visits) if thought is not None and thought.visits else 0
    if not total:
        return None
    actions, written, on = game.legal_actions(thought.state), labels(game), {}
    share_of = {action: thought.visits[action] / total for action in actions}
    ranked = sorted(actions, key=lambda action: -share_of[action])
    listed = ", ".join(f"{written[a]}:\u00a0{_percent(share_of[a])}" for a in ranked)
    for action, step in zip(actions, _footprints(game, thought.state, actions), strict=False):
        on[step.target] = on.get(step.target, 0.0) + share_of[action]
    on.pop(-1, None)  # a move that ends on no cell
    return {
        "cells": list(on),
        "shares": list(on.values()),
        "texts": [_percent(share) for share in on.values()],
        "text": f"{thought.name} chose {written[thought.action]} after {total:,}"
        f" simulation{'s' * (total != 1)}. Visits: {listed}",
    }


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{int(100 * share + 0.5)}%"


def best(game: Game, state: State, known: Truth | str | None) -> dict[str, Any] | None:
    """The solver's answer, or the sentence that says why there is none."""
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


def level(chair: Chair | None) -> dict[str, Any] | None:
    """The steps of the slider; None for an opponent without simulations."""
    if chair is None or chair.level is None:
        return None
    return {"now": chair.level, "steps": sorted({*chair.levels, chair.level})}


def _footprints(game: Game, state: State, actions: list[int]) -> list[Footprint]:
    """What each of these legal moves does to the board; [] if the game has none."""
    if not hasattr(game, "cells"):
        return []
    return [footprint(game, state, action) for action in actions]
