"""The public conformance suite: is this a game that every search of the package can play?"""

import numpy as np

from azlearn.games.game import Game, State

BATCH_METHODS = ("batch_play", "batch_legal_mask", "batch_outcome", "batch_to_play", "batch_encode")


def assert_conforms(game: Game, num_games: int = 50, seed: int = 0) -> None:
    """Plays random games and checks that all that the game says of them fits together.

    Works for any game with the interface of ``Game``. Where the game has them, batch methods are
    checked too, and what pictures need: ``cells``, ``cell``, ``action_label``, ``winning_line``.

    Raises:
        AssertionError: what is wrong, in plain words, with the moves that lead there.
    """
    rng = np.random.default_rng(seed)
    _check_interface(game)
    visited = []
    for _ in range(num_games):
        state, moves = game.initial_state(), []
        _demand(game.outcome(state) is None, moves, "the initial position is already over")
        while True:
            visited.append(state)
            _check_position(game, state, moves)
            if not (legal := game.legal_actions(state)):
                break
            action = int(rng.choice(legal))
            following = game.play(state, action)
            _check_move(game, state, action, following, moves)
            state, moves = following, [*moves, action]
            _demand(
                len(moves) < 10_000, moves[:5], "a random game has not ended after 10,000 plies"
            )
    _check_batches(game, visited, rng)


def _demand(condition: bool, moves: list[int], problem: str) -> None:
    _require(condition, f"After the actions {moves}: {problem}.")


def _require(condition: bool, sentence: str) -> None:
    if not condition:  # not an assert statement: those are gone under python -O
        raise AssertionError(sentence)


def _check_interface(game: Game) -> None:
    names = ["name", "num_actions", "initial_state", "play", "next_state", "legal_mask"]
    names += ["legal_actions", "outcome", "to_play", "encode", "symmetries", "rows", "cols"]
    missing = [name for name in names if not hasattr(game, name)]
    _require(not missing, f"The game has no {', '.join(missing)}; see azlearn.games.Game.")
    present = [name for name in BATCH_METHODS if hasattr(game, name)]
    _require(
        len(present) in (0, len(BATCH_METHODS)),
        f"Of the batch methods the game has only {', '.join(present)}; it needs all or none.",
    )
    labels = [game.action_label(a) for a in range(game.num_actions)] if _draws(game) else []
    _require(len(set(labels)) == len(labels), "action_label gives two actions the same label.")


def _check_position(game: Game, state: State, moves: list[int]) -> None:
    before = repr(state)
    mask, legal, outcome = game.legal_mask(state), game.legal_actions(state), game.outcome(state)
    _demand(
        isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (game.num_actions,),
        moves,
        f"legal_mask must be a bool array of shape ({game.num_actions},), not {mask!r}",
    )
    _demand(
        list(legal) == np.flatnonzero(mask).tolist(),
        moves,
        f"legal_actions gives {list(legal)} but legal_mask allows {np.flatnonzero(mask).tolist()}",
    )
    _demand(
        outcome in (None, -1, 0, 1),
        moves,
        f"outcome must be None, +1, 0 or -1 for the player to move, not {outcome!r}",
    )
    if outcome is None:
        _demand(bool(legal), moves, "the game goes on (outcome None) but no move is legal")
    else:
        _demand(not legal, moves, f"the game is over (outcome {outcome}) but moves are still legal")
    _demand(
        game.to_play(state) in (0, 1), moves, f"to_play must be 0 or 1, not {game.to_play(state)}"
    )
    _check_refusals(game, state, legal, moves)
    _check_planes(game, state, mask, moves)
    _demand(
        repr(state) == before, moves, "asking about a position changed it; states must not mutate"
    )


def _check_refusals(game: Game, state: State, legal: list[int], moves: list[int]) -> None:
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
        _demand(False, moves, problem)


def _check_planes(game: Game, state: State, mask: np.ndarray, moves: list[int]) -> None:
    planes = game.encode(state)
    _demand(
        planes.dtype == np.float32 and planes.ndim == 3 and bool(np.isfinite(planes).all()),
        moves,
        "encode must give finite float32 planes [C, rows, cols]",
    )
    _demand(
        planes.shape[1:] == (game.rows, game.cols),
        moves,
        f"encode's planes are {planes.shape[1:]}, but rows and cols say ({game.rows}, {game.cols})",
    )
    pairs = game.symmetries(planes, mask.astype(np.float32))
    _demand(
        bool(pairs)
        and np.array_equal(pairs[0][0], planes)
        and np.array_equal(pairs[0][1], mask.astype(np.float32)),
        moves,
        "the first symmetry must be the identity",
    )
    for number, (turned, policy) in enumerate(pairs):
        _demand(
            turned.shape == planes.shape and policy.shape == mask.shape,
            moves,
            f"symmetry {number} changes the shape of planes or policy",
        )
        _demand(
            np.array_equal(np.sort(turned, axis=None), np.sort(planes, axis=None))
            and policy.sum() == mask.sum(),
            moves,
            f"symmetry {number} must only move entries about; it adds or drops some",
        )


def _check_move(game: Game, state: State, action: int, following: State, moves: list[int]) -> None:
    played = [*moves, action]
    _demand(
        following == game.next_state(state, action),
        played,
        "play and next_state give different positions for a legal action",
    )
    _demand(following != state, played, "the move did not change the position")
    if game.to_play(following) != game.to_play(state):
        _check_placement(game, state, action, following, played)
    if _draws(game):
        _check_picture(game, state, action, following, played)
        _check_winner(game, following, played)


def _draws(game: Game) -> bool:
    return all(hasattr(game, n) for n in ("cells", "cell", "action_label", "winning_line"))


def _check_picture(game, state, action, following, moves) -> None:
    """``cells`` must gain the mover's stone where ``cell`` says, and keep the others."""
    before, after = game.cells(state), game.cells(following)
    _demand(len(after) == game.rows * game.cols, moves, "cells must list rows * cols cells")
    where = game.cell(state, action)
    expected = [*before[:where], game.to_play(state) + 1, *before[where + 1 :]]
    if sum(map(bool, after)) == sum(map(bool, before)) + 1:  # a move that places one stone
        _demand(
            after == expected,
            moves,
            f"cell says that the stone lands on cell {where}, but cells show another board",
        )


def _check_winner(game: Game, state: State, moves: list[int]) -> None:
    """Where the game can show a line, its owner has won: +1 for the player to move, else -1."""
    line = game.winning_line(state)
    if not line:
        return
    owner = game.cells(state)[line[0]] - 1
    expected = 1 if owner == game.to_play(state) else -1
    _demand(
        game.outcome(state) == expected,
        moves,
        f"player {owner} has a line and player {game.to_play(state)} is to move, so outcome must be"
        f" {expected:+d} (values are for the player to move), not {game.outcome(state)}",
    )


def _check_placement(game, state, action, following, moves) -> None:
    """In a game of placing stones, planes and policy must turn together, for the player to move."""
    before, after = game.encode(state), game.encode(following)
    if before.shape[0] != 2:
        return
    changed = np.argwhere(after != before)  # planes that swap roles differ in all their stones
    _demand(
        len(changed) != 1 or (changed[0][0] == 1 and not before.any()),
        moves,
        "encode shows the same player's stones first whoever is to move; plane 0 must hold the"
        " stones of the player to move",
    )
    if not np.array_equal(after[0], before[1]) or (after[1] - before[0]).sum() != 1:
        return  # not a game of placing one stone a move
    one_hot = np.eye(game.num_actions, dtype=np.float32)[action]
    pairs = zip(game.symmetries(before, one_hot), game.symmetries(after, one_hot), strict=True)
    for number, ((turned_before, policy), (turned_after, _)) in enumerate(pairs):
        placed = turned_after[1] - turned_before[0]
        where = {before[0].size: placed.ravel(), before.shape[-1]: placed.sum(axis=0)}
        _demand(
            game.num_actions not in where or np.array_equal(where[game.num_actions], policy),
            moves,
            f"symmetry {number} turns the board and the policy in different ways",
        )


def _check_batches(game: Game, states: list[State], rng: np.random.Generator) -> None:
    """The batch forms must say what the single forms say, position by position."""
    if not hasattr(game, "batch_play"):
        return
    batch = State(*np.array(states, dtype=np.int64).T)
    is_over, value = game.batch_outcome(batch)
    outcomes = [game.outcome(state) for state in states]
    same = {
        "batch_legal_mask": np.array_equal(
            game.batch_legal_mask(batch), np.array([game.legal_mask(state) for state in states])
        ),
        "batch_outcome": is_over.tolist() == [outcome is not None for outcome in outcomes]
        and value.tolist() == [outcome or 0 for outcome in outcomes],
        "batch_to_play": game.batch_to_play(batch).tolist() == [game.to_play(s) for s in states],
        "batch_encode": np.array_equal(
            game.batch_encode(batch), np.array([game.encode(state) for state in states])
        ),
    }
    going_on = [state for state, outcome in zip(states, outcomes, strict=True) if outcome is None]
    actions = np.array([rng.choice(game.legal_actions(state)) for state in going_on])
    after = game.batch_play(State(*np.array(going_on, dtype=np.int64).T), actions)
    singles = [game.play(state, int(a)) for state, a in zip(going_on, actions, strict=True)]
    same["batch_play"] = np.array_equal(np.array(after), np.array(singles).T)
    for method, agrees in same.items():
        _require(agrees, f"{method} disagrees with the same question asked one position at a time.")
