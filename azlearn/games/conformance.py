"""The conformance suite: checks whether every search of the package can play a game."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from azlearn.games.batch_check import BATCH_METHODS, batch_fault
from azlearn.games.footprints import footprint
from azlearn.games.game import Game, State, drawing_of
from azlearn.games.random_games import told
from azlearn.games.symmetry_check import Problem, check_symmetries

METHODS = (
    "name", "num_actions", "initial_state", "play", "next_state", "legal_mask", "legal_actions",
    "outcome", "to_play", "encode", "symmetries", "rows", "cols", "num_planes", "max_plies",
)  # fmt: skip
HOME = Path(__file__).parent
WHOSE = (
    "one of these three does not hold: play swaps me and opp exactly when the turn passes, to_play"
    " says who moves next, and the first plane has the stones of the player to move"
)


def assert_conforms(game: Game, num_games: int = 50, seed: int = 0, compiled: bool = True) -> None:
    """Plays random games and checks that everything the game reports about them is consistent.

    Then prints a summary of these games, with warnings about anything suspicious.

    Works for any game with the interface of ``Game``. If the game has them, it also checks batch
    methods (on NumPy arrays and torch tensors, and with compiled rules), move strings, and the
    methods that pictures use: ``cells``, ``cell``, ``action_label``, ``highlights``. It cannot know
    whether these are the rules that you meant: work out a few positions by hand, and compare.

    Args:
        num_games: number of random games to play.
        seed: seed of their moves.
        compiled: whether to check the compiled rules as well, which takes seconds.

    Raises:
        AssertionError: explains the problem in plain words, with the moves that lead to it.
    """
    print("\n".join(conformance(game, num_games, seed, compiled)))


def conformance(game: Game, num_games: int, seed: int = 0, compiled: bool = True) -> list[str]:
    """``assert_conforms``, but returns the lines instead of printing them."""
    rng, here = np.random.default_rng(seed), []
    with _in_a_sentence(game, here):
        _check_interface(game)
        played, visited, games, planes = [], [], [], set(range(game.num_planes))
        for _ in range(num_games):
            states, answers = _check_game(game, rng, here, planes)
            played.append(here.copy())
            visited.append(states)
            games.append(answers)
        states = list(chain.from_iterable(visited))
        for state, answer in zip(states, chain.from_iterable(games), strict=True):
            if _answer(game, state) != answer:
                raise AssertionError(
                    f"The legal mask, outcome or to_play of {state!r} was different when a game"
                    " reached it: they must depend on the position alone."
                )
        here.clear()
        lines = check_symmetries(game, visited, played, here)
        if fault := batch_fault(game, states, rng, compiled):
            raise AssertionError(fault)
        return told(game, games) + lines


@contextmanager
def _in_a_sentence(game: Game, actions: list[int]) -> Iterator[None]:
    """Converts any problem, or an exception raised by the game, to an AssertionError.

    The error lists the moves before it and, for an exception, gives the place in the game's file.
    """
    try:
        yield
    except AssertionError:
        raise
    except Problem as problem:
        raise AssertionError(f"After the actions {actions}: {problem}.") from None
    except Exception as error:
        frames = extract_tb(error.__traceback__)
        if isinstance(error, NotImplementedError):
            raise AssertionError(f"The game's class must define {frames[-1].name}.") from error
        own = [frame for frame in frames if Path(frame.filename).parent != HOME] or frames
        line = f"line {own[-1].lineno} of {Path(own[-1].filename).name} ({own[-1].name})"
        why = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        raise AssertionError(f"After the actions {actions}: {line} raises {why}.") from error


def _check_game(game: Game, rng, here: list[int], planes: set[int]) -> tuple[list, list]:
    """Plays and checks one random game; returns its positions and the game's answers in each.

    Args:
        here: a list that is cleared, then filled with the actions as they are played.
        planes: plane indices; any that do not always show the stones of the player to move are
            removed.
    """
    here.clear()
    state, visited, answers = game.initial_state(), [], []
    _check_rules(game, state, "INITIAL is")
    if game.outcome(state) is not None:
        raise Problem("the initial position is already over")
    if (first := game.to_play(state)) != 0:
        raise Problem(f"to_play must be 0 or 1, and 0 at the start, not {first!r}")
    while True:
        visited.append(state)
        answers.append(_check_position(game, state))
        if _draws(game):
            mine = np.reshape(game.cells(state), (game.rows, game.cols)) == game.to_play(state) + 1
            planes &= {k for k, p in enumerate(game.encode(state)) if np.array_equal(p, mine)}
        if not planes:
            raise Problem(
                "encode hides who moves: no plane always shows the stones of the player to move"
            )
        if not (legal := game.legal_actions(state)):
            break
        here.append(int(rng.choice(legal)))
        state = _check_move(game, state, here[-1])
        if len(here) > game.max_plies:
            raise Problem(
                f"a random game has not ended after max_plies = {game.max_plies} plies: increase"
                " MAX_PLIES, or count plies in the position to end games that would never end"
            )
    if all(hasattr(game, name) for name in ("moves_text", "from_moves")):
        text = game.moves_text(here)
        if game.from_moves(text) != state:
            raise Problem(
                f"moves_text writes {text!r}, but from_moves reads a different position from it"
            )
    return visited, answers


def _check_interface(game: Game) -> None:
    if missing := [name for name in METHODS if not hasattr(game, name)]:
        raise AssertionError(f"The game has no {', '.join(missing)}; see azlearn.games.Game.")
    present = [name for name in BATCH_METHODS if hasattr(game, name)]
    if len(present) not in (0, len(BATCH_METHODS)):
        raise AssertionError(
            f"The game has only some batch methods: {', '.join(present)}. It needs all or none."
        )
    labels = [game.action_label(a) for a in range(game.num_actions)] if _draws(game) else []
    for label in labels:
        if not isinstance(label, str) or label.split() != [label]:
            raise AssertionError(
                f"action_label must return a word without spaces, not {label!r:.80}."
            )
        if labels.count(label) > 1:
            raise AssertionError(f"action_label returns the same label for two actions: {label!r}.")
    bits = getattr(game, "cell_bits", np.zeros(1))
    if bits.min() < 0 or bits.max() >= 64:
        raise AssertionError(
            f"cell_bits uses bits {bits.min()} to {bits.max()}, but a word has only bits 0 to 63."
            " Use several words for a larger board, and bit_planes instead of plane_boards."
        )


def _answer(game: Game, state) -> tuple:
    return game.legal_mask(state).tolist(), game.outcome(state), game.to_play(state)


def _draws(game: Game) -> bool:
    """Whether the game has the methods that pictures need."""
    return all(hasattr(game, n) for n in ("cells", "cell", "action_label", "highlights"))


def _check_rules(game: Game, state, made: str) -> None:
    """Checks the values that a rules module returns for a position, before anything uses them."""
    if not hasattr(game, "rules"):
        return
    if (
        not isinstance(state, game.State)
        or not hasattr(state, "_fields")
        or not all(isinstance(word, Integral) and -(2**63) <= word < 2**63 for word in state)
    ):
        raise Problem(
            f"{made} {state!r:.120}, but a position must be a State, a NamedTuple of 64-bit"
            " integers"
        )
    if isinstance(state, State) and (
        state.me & state.opp or (state.me | state.opp) & ~game.all_cells
    ):
        raise Problem(
            f"{made} {state!r}, with two stones on one cell or a stone outside the board: either"
            " is_legal allows an occupied cell, or a shift runs off the board"
        )
    said = game.rules.outcome(state)
    if not isinstance(said, tuple) or len(said) != 2:
        raise Problem(f"outcome must always return (is_over, value), not {said!r}")
    is_over, value = said
    if value not in (-1, 0, 1):
        raise Problem(f"outcome's value must be -1, 0 or 1, for the player to move, not {value!r}")
    if not is_over and value != 0:
        raise Problem(
            f"outcome returns the value {value!r} although the game is not over; it must then be 0:"
            " multiply it by is_over"
        )
    if (mover := game.rules.to_play(state)) not in (0, 1):
        raise Problem(f"to_play must be 0 or 1, not {mover!r}")


def _check_position(game: Game, state) -> tuple:
    before = repr(state)
    mask, legal, outcome = game.legal_mask(state), game.legal_actions(state), game.outcome(state)
    n, mover = game.num_actions, game.to_play(state)
    if not isinstance(mask, np.ndarray) or (mask.dtype, mask.shape) != (bool, (n,)):
        raise Problem(f"legal_mask must be a bool array of shape ({n},), not {mask!r}")
    if list(legal) != (allowed := np.flatnonzero(mask).tolist()):
        raise Problem(f"legal_actions returns {list(legal)}, but legal_mask allows {allowed}")
    if outcome is not None and not (isinstance(outcome, Real) and -1 <= outcome <= 1):
        raise Problem(
            f"outcome must be None or a value from -1 to 1 for the player to move, not {outcome!r}"
        )
    if not legal and outcome is None:
        raise Problem(
            "the game is not over (outcome None), but no move is legal: let outcome end it, or add"
            " an action for passing"
        )
    if legal and outcome is not None:
        raise Problem(f"the game is over (outcome {outcome}) but moves are still legal")
    if mover not in (0, 1):
        raise Problem(f"to_play must be 0 or 1, not {mover}")
    for action in {*range(-1, n + 1)} - {*legal}:
        refusal = "accepts"
        try:
            game.play(state, action)
        except ValueError:
            continue
        except Exception as error:
            refusal = f"raises {type(error).__name__} at"
        raise Problem(f"play {refusal} the illegal action {action}; it must raise ValueError")
    planes, shape = game.encode(state), (game.num_planes, game.rows, game.cols)
    if planes.dtype != np.float32 or planes.ndim != 3 or not np.isfinite(planes).all():
        raise Problem(
            "encode must return finite float32 planes [num_planes, rows, cols], not"
            f" {planes.dtype} {list(planes.shape)}"
        )
    if planes.shape != shape:
        raise Problem(
            f"encode must return planes of shape (num_planes, rows, cols) = {shape}, not"
            f" {planes.shape}"
        )
    if _draws(game):
        _check_cells(game, state)
    plies = game.num_plies(state) if hasattr(game, "num_plies") else 0
    if not isinstance(plies, Integral) or plies < 0:
        raise Problem(
            f"num_plies must be the whole number of moves that the board shows, not {plies!r}"
        )
    if repr(state) != before:
        raise Problem("a method changed the position that it was passed; positions must not change")
    return _answer(game, state)


def _check_move(game: Game, state, action: int) -> Any:
    """Plays the move, and returns the position after it."""
    before, following = repr(state), game.play(state, action)
    if repr(state) != before:
        raise Problem("play changed the position that it was passed; it must return a new one")
    _check_rules(game, following, "play returns")
    if following != game.next_state(state, action):
        raise Problem(
            "play and next_state return different positions for a legal action, or play returns"
            " different positions each time"
        )
    if following == state:
        raise Problem("the move did not change the position")
    if _draws(game):
        _check_picture(game, state, action, following)
    return following


# Checks that pictures show the actual positions. ``RulesGame`` draws pictures from the planes, so
# these checks also find a position that is shown from the wrong player's point of view.


def _check_cells(game: Game, state) -> None:
    """Checks a position's cells and highlights."""
    cells, number, kinds = game.cells(state), game.rows * game.cols, (list, tuple)
    if not isinstance(cells, kinds) or len(cells) != number or not {*cells} <= {0, 1, 2, 3}:
        raise Problem(
            f"cells must list rows * cols cells, {number}, each 0 (empty), 1 or 2 (a player's) or"
            f" 3 (neither's), not {cells!r:.80}"
        )
    shown, outcome, mover = game.highlights(state), game.outcome(state), game.to_play(state)
    if not isinstance(shown, kinds) or not all(cell in range(number) for cell in shown):
        raise Problem(f"highlights must list cells of the board, not {shown!r:.80}")
    owners = {cells[cell] - 1 for cell in shown}
    if outcome is not None and owners in ({0}, {1}):
        # Highlighted cells belong to the winner: +1 if this is the player to move, otherwise -1.
        right = 1 if owners == {mover} else -1
        if outcome != right:
            raise Problem(
                f"highlights shows that player {owners.pop()} has won and player {mover} is to"
                f" move, so outcome must be {right:+d} (values are for the player to move), not"
                f" {outcome}"
            )


def _check_picture(game: Game, state, action: int, following) -> None:
    """Checks that ``cells`` changes at ``cell``, to the mover's stone if the move places one.

    If a piece moves from one cell to another, ``cell`` is not used and not checked.
    """
    before, after, mover = game.cells(state), game.cells(following), game.to_play(state)
    drawing = drawing_of(game)
    if footprint(game, state, action, (before, after)).origin >= 0 and not drawing.falls:
        return
    where = game.cell(state, action)
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    is_filled = len(changed) == 1 and not before[changed[0]]
    if where is None and is_filled:
        raise Problem(
            f"cell returns None, but the move filled cell {changed[0]}: return that cell, and None"
            " only if a move fills no cell"
        )
    if where is not None and where not in range(len(before)):
        raise Problem(f"cell returns {where} as the cell of the move; it is not on the board")
    if is_filled and after[changed[0]] in (1, 2):
        if changed != [where]:
            raise Problem(
                f"cell returns {where} as the cell of the mover's stone, but cells shows the stone"
                f" on cell {changed[0]}: cell_bit and the rules number the cells differently"
            )
        if after[where] != mover + 1:
            raise Problem(
                f"player {mover} placed the stone on cell {where}, but cells shows it as player"
                f" {1 - mover}'s; {WHOSE}"
            )
    if where is not None and (not after[where] or before[where]):
        raise Problem(
            f"cell returns {where} as the cell that the move fills, but the move changes"
            f" {changed or 'nothing'} in cells"
        )
    if drawing.fills and (changed != [where] or game.to_play(following) == mover):
        raise Problem(
            "drawing has fills=True, but the move did more than place one stone and pass the turn:"
            " remove fills"
        )
    if drawing.falls and where is not None and where % game.cols != action:
        raise Problem(
            f"drawing has falls=True, so action {action} must fill a cell of column {action}, not"
            f" cell {where}"
        )
