"""The public conformance suite: is this a game that every search of the package can play?"""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from azlearn.games.compiled_check import compiled_fault
from azlearn.games.game import Game

BATCH_METHODS = (
    "stack", "batch_play", "batch_legal_mask", "batch_outcome", "batch_to_play", "batch_encode",
)  # fmt: skip
METHODS = (
    "name", "num_actions", "initial_state", "play", "next_state", "legal_mask", "legal_actions",
    "outcome", "to_play", "encode", "symmetries", "rows", "cols", "num_planes", "max_plies",
)  # fmt: skip


def assert_conforms(game: Game, num_games: int = 50, seed: int = 0) -> None:
    """Plays random games and checks that all that the game says of them fits together.

    Works for any game with the interface of ``Game``. Where the game has them, batch methods are
    checked too (on NumPy arrays and on torch tensors, and the rules compiled), moves as text, and
    what pictures need: ``cells``, ``cell``, ``action_label``, ``highlights``.

    Raises:
        AssertionError: what is wrong, in plain words, with the moves that lead there.
    """
    rng = np.random.default_rng(seed)
    _check_interface(game)
    visited, answers, planes_of_mover = [], [], set(range(game.num_planes))
    for _ in range(num_games):
        state, actions = game.initial_state(), []
        _demand(game.outcome(state) is None, actions, "the initial position is already over")
        images = None
        while True:
            visited.append(state)
            answers.append(_check_position(game, state, actions))
            images = images or _Images(game)
            images.check(game, state, actions)
            planes_of_mover &= _planes_of_mover(game, state)
            _demand(
                bool(planes_of_mover),
                actions,
                "encode hides who moves: no plane has always held the stones of the player to move",
            )
            if not (legal := game.legal_actions(state)):
                break
            action = int(rng.choice(legal))
            state = _check_move(game, state, action, actions)
            images.play(game, action)
            actions = [*actions, action]
            _demand(
                len(actions) <= game.max_plies,
                actions[:5],
                f"a random game has not ended after max_plies = {game.max_plies} plies",
            )
        _check_text(game, actions, state)
    for state, answer in zip(visited, answers, strict=True):
        _require(
            _answer(game, state) == answer,
            f"Asked again about {state!r}, the game answers otherwise than when it was reached:"
            " its mask or outcome is that of another position.",
        )
    _check_batches(game, visited, rng)


def _demand(condition: bool, actions: list[int], problem: str) -> None:
    _require(condition, f"After the actions {actions}: {problem}.")


def _require(condition: bool, sentence: str) -> None:
    if not condition:  # not an assert statement: those are gone under python -O
        raise AssertionError(sentence)


def _check_interface(game: Game) -> None:
    missing = [name for name in METHODS if not hasattr(game, name)]
    _require(not missing, f"The game has no {', '.join(missing)}; see azlearn.games.Game.")
    present = [name for name in BATCH_METHODS if hasattr(game, name)]
    _require(
        len(present) in (0, len(BATCH_METHODS)),
        f"Of the batch methods the game has only {', '.join(present)}; it needs all or none.",
    )
    labels = [game.action_label(a) for a in range(game.num_actions)] if _draws(game) else []
    _require(len(set(labels)) == len(labels), "action_label gives two actions the same label.")


def _answer(game: Game, state) -> tuple:
    return game.legal_mask(state).tolist(), game.outcome(state), game.to_play(state)


def _check_position(game: Game, state, actions: list[int]) -> tuple:
    before = repr(state)
    mask, legal, outcome = game.legal_mask(state), game.legal_actions(state), game.outcome(state)
    _demand(
        isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (game.num_actions,),
        actions,
        f"legal_mask must be a bool array of shape ({game.num_actions},), not {mask!r}",
    )
    _demand(
        list(legal) == np.flatnonzero(mask).tolist(),
        actions,
        f"legal_actions gives {list(legal)} but legal_mask allows {np.flatnonzero(mask).tolist()}",
    )
    _demand(
        outcome is None or (isinstance(outcome, Real) and -1 <= outcome <= 1),
        actions,
        f"outcome must be None or a value from -1 to 1 for the player to move, not {outcome!r}",
    )
    if outcome is None:
        _demand(bool(legal), actions, "the game goes on (outcome None) but no move is legal")
    else:
        _demand(
            not legal, actions, f"the game is over (outcome {outcome}) but moves are still legal"
        )
    _demand(
        game.to_play(state) in (0, 1), actions, f"to_play must be 0 or 1, not {game.to_play(state)}"
    )
    _check_refusals(game, state, legal, actions)
    planes = game.encode(state)
    shape = (game.num_planes, game.rows, game.cols)
    _demand(
        planes.dtype == np.float32 and planes.ndim == 3 and bool(np.isfinite(planes).all()),
        actions,
        "encode must give finite float32 planes [num_planes, rows, cols]",
    )
    _demand(
        planes.shape == shape,
        actions,
        f"encode's planes are {planes.shape}, but num_planes, rows and cols say {shape}",
    )
    if _draws(game):
        cells, number = game.cells(state), game.rows * game.cols
        _demand(
            isinstance(cells, (list, tuple))
            and len(cells) == number
            and all(cell in range(4) for cell in cells),
            actions,
            f"cells must list rows * cols cells, {number}, each 0 (empty), 1 or 2 (a player's) or 3"
            f" (neither's), not {cells!r:.80}",
        )
        _check_winner(game, state, actions)
    _demand(
        repr(state) == before, actions, "asking about a position changed it; states must not mutate"
    )
    return _answer(game, state)


def _check_refusals(game: Game, state, legal: list[int], actions: list[int]) -> None:
    for action in {*range(-1, game.num_actions + 1)} - {*legal}:
        try:
            game.play(state, action)
        except ValueError:
            continue
        except Exception as error:
            refusal = f"raises {type(error).__name__} at"
        else:
            refusal = "accepts"
        problem = f"play {refusal} the illegal action {action}; it must raise ValueError"
        _demand(False, actions, problem)


def _check_move(game: Game, state, action: int, actions: list[int]) -> Any:
    """Plays the move, and gives the position after it."""
    played, before = [*actions, action], repr(state)
    following = game.play(state, action)
    _demand(
        following == game.next_state(state, action),
        played,
        "play and next_state give different positions for a legal action",
    )
    _demand(
        repr(state) == before,
        played,
        "the move changed the position that it was played in; states must not mutate",
    )
    _demand(following != state, played, "the move did not change the position")
    if _draws(game):
        _check_picture(game, state, action, following, played)
    return following


class _Images:
    """The same game seen in every symmetry: its moves turned, and played from the start."""

    def __init__(self, game: Game) -> None:
        state = game.initial_state()
        planes, mask = game.encode(state), game.legal_mask(state).astype(np.float32)
        pairs = game.symmetries(planes, mask)
        # A symmetry under which the first position is another cannot be played from the start:
        # that of Othello changes its stones when it is turned by a quarter.
        self.states = {
            number: state for number, pair in enumerate(pairs) if np.array_equal(pair[0], planes)
        }

    def play(self, game: Game, action: int) -> None:
        one_hot = np.eye(game.num_actions, dtype=np.float32)[action]
        pairs = game.symmetries(game.encode(game.initial_state()), one_hot)
        for number, state in self.states.items():
            self.states[number] = game.next_state(state, int(pairs[number][1].argmax()))

    def check(self, game: Game, state, actions: list[int]) -> None:
        planes, mask = game.encode(state), game.legal_mask(state).astype(np.float32)
        pairs = game.symmetries(planes, mask)
        same = bool(pairs) and all(
            np.array_equal(a, b) for a, b in zip(pairs[0], (planes, mask), strict=True)
        )
        _demand(same, actions, "the first symmetry must be the identity")
        for number, (turned, policy) in enumerate(pairs):
            _demand(
                turned.shape == planes.shape
                and policy.shape == mask.shape
                and np.array_equal(np.sort(turned, axis=None), np.sort(planes, axis=None))
                and policy.sum() == mask.sum(),
                actions,
                f"symmetry {number} must only move entries about; it adds or drops some",
            )
        for number, image in self.states.items():
            turned, policy = pairs[number]
            _demand(
                np.array_equal(turned, game.encode(image))
                and np.array_equal(policy, game.legal_mask(image))
                and game.outcome(state) == game.outcome(image),
                actions,
                f"symmetry {number} is none: it turns the board and the policy in different ways,"
                " or the turned moves lead elsewhere",
            )


def _draws(game: Game) -> bool:
    return all(hasattr(game, n) for n in ("cells", "cell", "action_label", "highlights"))


def _planes_of_mover(game: Game, state) -> set[int]:
    """Which planes show exactly the cells of the player to move; all, if the game has no cells."""
    if not _draws(game):
        return set(range(game.num_planes))
    mine = np.reshape(game.cells(state), (game.rows, game.cols)) == game.to_play(state) + 1
    return {k for k, plane in enumerate(game.encode(state)) if np.array_equal(plane, mine)}


def _check_picture(game, state, action, following, actions) -> None:
    """``cells`` must change where ``cell`` says, and by the mover's stone if stones are placed."""
    before, after = game.cells(state), game.cells(following)
    where = game.cell(state, action)
    _demand(
        where is None or (where in range(len(before)) and before[where] == 0 and after[where] != 0),
        actions,
        f"cell says that the move fills cell {where}, but cells show another board",
    )
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if len(changed) == 1 and after[changed[0]] in (1, 2):
        _demand(
            changed == [where] and after[where] == game.to_play(state) + 1,
            actions,
            f"cell says that the mover's stone lands on cell {where}, but cells show another board",
        )


def _check_winner(game: Game, state, actions: list[int]) -> None:
    """Where the game can show what has won, its owner has: +1 for the player to move, else -1."""
    cells, shown = game.cells(state), game.highlights(state)
    _demand(
        isinstance(shown, (list, tuple)) and all(cell in range(len(cells)) for cell in shown),
        actions,
        f"highlights must list cells of the board, not {shown!r:.80}",
    )
    owners = {cells[cell] - 1 for cell in shown}
    if not shown or game.outcome(state) is None or not owners <= {0, 1} or len(owners) > 1:
        return
    (owner,) = owners
    expected = 1 if owner == game.to_play(state) else -1
    _demand(
        game.outcome(state) == expected,
        actions,
        f"the cells of player {owner} are highlighted as won and player {game.to_play(state)} is to"
        f" move, so outcome must be {expected:+d} (values are for the player to move), not"
        f" {game.outcome(state)}",
    )


def _check_text(game: Game, actions: list[int], state) -> None:
    if not all(hasattr(game, name) for name in ("moves_text", "from_moves")):
        return
    text = game.moves_text(actions)
    _demand(
        game.from_moves(text) == state,
        actions,
        f"moves_text writes {text!r}, and from_moves reads another position from it",
    )


def _check_batches(game: Game, states: list, rng: np.random.Generator) -> None:
    """The batch forms must say what the single forms say, position by position."""
    if not hasattr(game, "batch_play"):
        return
    going_on = [state for state in states if game.outcome(state) is None]
    actions = np.array([rng.choice(game.legal_actions(state)) for state in going_on])
    singles = [game.play(s, int(a)) for s, a in zip(going_on, actions, strict=True)]
    outcomes = [game.outcome(state) for state in states]
    right = {
        "batch_legal_mask": np.array([game.legal_mask(state) for state in states]),
        "batch_outcome": [[o is not None for o in outcomes], [o or 0 for o in outcomes]],
        "batch_to_play": [game.to_play(state) for state in states],
        "batch_encode": np.array([game.encode(state) for state in states]),
        "batch_play": np.array([tuple(state) for state in singles]).T,
    }
    for kind, convert in {"NumPy arrays": np.asarray, "torch tensors": _tensor()}.items():
        batch, moving = (
            type(stacked)(*map(convert, stacked))
            for stacked in (game.stack(states), game.stack(going_on))
        )
        found = {
            "batch_legal_mask": game.batch_legal_mask(batch),
            "batch_outcome": [part.tolist() for part in game.batch_outcome(batch)],
            "batch_to_play": game.batch_to_play(batch).tolist(),
            "batch_encode": game.batch_encode(batch),
            "batch_play": [word.tolist() for word in game.batch_play(moving, convert(actions))],
        }
        for method, answer in found.items():
            _require(
                np.array_equal(np.asarray(answer), np.asarray(right[method])),
                f"{method} on {kind} disagrees with the same question asked one position at a"
                " time.",
            )
    if hasattr(game, "rules"):
        fault = compiled_fault(game.rules, going_on, actions.tolist())
        _require(not fault, fault)


def _tensor() -> Callable[[np.ndarray], Any]:
    import torch

    return torch.from_numpy
