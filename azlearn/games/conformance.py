"""The public conformance suite: is this a game that every search of the package can play?"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from azlearn.games.batch_check import BATCH_METHODS, batch_fault
from azlearn.games.game import Game, State
from azlearn.games.picture_check import (
    cells_fault,
    draws,
    label_fault,
    picture_fault,
    planes_of_mover,
)
from azlearn.games.random_games import told
from azlearn.games.symmetry_check import SymmetryCheck

METHODS = (
    "name", "num_actions", "initial_state", "play", "next_state", "legal_mask", "legal_actions",
    "outcome", "to_play", "encode", "symmetries", "rows", "cols", "num_planes", "max_plies",
)  # fmt: skip
HOME = Path(__file__).parent


def assert_conforms(game: Game, num_games: int = 50, seed: int = 0, compiled: bool = True) -> None:
    """Plays random games, checks that all that the game says of them fits together, and prints what
    they were like, with a warning of what is suspicious.

    Works for any game with the interface of ``Game``. Where the game has them, batch methods are
    checked too (on NumPy arrays and on torch tensors, and the rules compiled), moves as text, and
    what pictures need: ``cells``, ``cell``, ``action_label``, ``highlights``. Whether these are
    the rules that you meant it cannot know: write down a few positions by hand, and compare.

    Args:
        num_games: random games played.
        seed: of their moves.
        compiled: whether to look at the rules compiled, too, which takes seconds.

    Raises:
        AssertionError: what is wrong, in plain words, with the moves that lead there.
    """
    print("\n".join(conformance(game, num_games, seed, compiled)))


def conformance(game: Game, num_games: int, seed: int = 0, compiled: bool = True) -> list[str]:
    """The same for callers who print: the lines that ``assert_conforms`` does."""
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
            _require(
                _answer(game, state) == answer,
                f"Asked again about {state!r}, the game answers otherwise than when it was reached:"
                " its mask or outcome is that of another position.",
            )
        symmetries = SymmetryCheck(game, visited)
        _demand(not symmetries.fault, [], symmetries.fault)
        for actions in played:
            here[:] = actions
            fault = symmetries.follow(actions)
            _require(not fault, fault)
        fault = batch_fault(game, states, rng, compiled)
        _require(not fault, fault)
        return told(game, games) + symmetries.told()


def _check_game(game: Game, rng, here: list[int], planes: set[int]) -> tuple[list, list]:
    """One random game: its positions, and what the game answered in each.

    Args:
        here: emptied, and filled with the actions as they are played.
        planes: those that have always held the stones of the player to move are kept.
    """
    here.clear()
    state, visited, answers = game.initial_state(), [], []
    _check_rules(game, state, here)
    _demand(game.outcome(state) is None, here, "the initial position is already over")
    first = game.to_play(state)
    _demand(first == 0, here, f"to_play must be 0 or 1, and 0 at the start, not {first!r}")
    while True:
        visited.append(state)
        answers.append(_check_position(game, state, here))
        planes &= planes_of_mover(game, state)
        problem = "encode hides who moves: no plane has always held the stones of the player"
        _demand(bool(planes), here, f"{problem} to move")
        if not (legal := game.legal_actions(state)):
            break
        action = int(rng.choice(legal))
        state = _check_move(game, state, action, here)
        here.append(action)
        _demand(
            len(here) <= game.max_plies,
            here,
            f"a random game has not ended after max_plies = {game.max_plies} plies: make MAX_PLIES"
            " larger, or end what goes on for ever, by a count of plies in the position",
        )
    _check_text(game, here, state)
    return visited, answers


def _demand(condition: bool, actions: list[int], problem: str) -> None:
    _require(condition, f"After the actions {actions}: {problem}.")


def _require(condition: bool, sentence: str) -> None:
    if not condition:  # not an assert statement: those are gone under python -O
        raise AssertionError(sentence)


@contextmanager
def _in_a_sentence(game: Game, actions: list[int]) -> Iterator[None]:
    """What the game itself raises, as an AssertionError that says where in its file."""
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        frames = extract_tb(error.__traceback__)
        if isinstance(error, NotImplementedError):
            raise AssertionError(f"The class of the game must have {frames[-1].name}.") from error
        own = [frame for frame in frames if Path(frame.filename).parent != HOME] or frames
        line = f"line {own[-1].lineno} of {Path(own[-1].filename).name} ({own[-1].name})"
        why = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        raise AssertionError(f"After the actions {actions}: {line} raises {why}.") from error


def _check_interface(game: Game) -> None:
    missing = [name for name in METHODS if not hasattr(game, name)]
    _require(not missing, f"The game has no {', '.join(missing)}; see azlearn.games.Game.")
    present = [name for name in BATCH_METHODS if hasattr(game, name)]
    _require(
        len(present) in (0, len(BATCH_METHODS)),
        f"Of the batch methods the game has only {', '.join(present)}; it needs all or none.",
    )
    fault = label_fault(game) if draws(game) else ""
    _require(not fault, fault)
    bits = getattr(game, "cell_bits", np.zeros(1))
    _require(
        bits.min() >= 0 and bits.max() < 64,
        f"cell_bits has cells on the bits {bits.min()} to {bits.max()}; a word has 0 to 63. Give a"
        " larger board several words, and bit_planes instead of plane_boards.",
    )


def _answer(game: Game, state) -> tuple:
    return game.legal_mask(state).tolist(), game.outcome(state), game.to_play(state)


def _check_rules(game: Game, state, actions: list[int]) -> None:
    """What a rules module says of a position, before anything is made of it."""
    if not hasattr(game, "rules"):
        return
    made = "INITIAL is" if not actions else "play gives"
    _demand(
        isinstance(state, game.State)
        and hasattr(state, "_fields")
        and all(isinstance(word, Integral) and -(2**63) <= word < 2**63 for word in state),
        actions,
        f"{made} {state!r:.120}; a position must be a State, a NamedTuple of whole numbers, each of"
        " 64 bits",
    )
    if isinstance(state, State):
        _demand(
            not state.me & state.opp and not (state.me | state.opp) & ~game.all_cells,
            actions,
            f"{made} {state!r}, with two stones on one cell or stones beside the board: is_legal"
            " allows a cell that is taken, or a shift leaves the board",
        )
    said = game.rules.outcome(state)
    wanted = f"outcome must give (is_over, value), also while it goes on, not {said!r}"
    _demand(isinstance(said, tuple) and len(said) == 2, actions, wanted)
    wanted = f"outcome's value must be -1, 0 or 1, for the player to move, not {said[1]!r}"
    _demand(said[1] in (-1, 0, 1), actions, wanted)
    _demand(
        bool(said[0]) or said[1] == 0,
        actions,
        f"outcome says that the game goes on and gives the value {said[1]!r}, which must be 0 then:"
        " multiply it by is_over",
    )
    mover = game.rules.to_play(state)
    _demand(mover in (0, 1), actions, f"to_play must be 0 or 1, not {mover!r}")


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
        _demand(
            bool(legal),
            actions,
            "the game goes on (outcome None) but no move is legal: let outcome end it, or make a"
            " pass an action of its own",
        )
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
        f"encode must give finite float32 planes [num_planes, rows, cols], not {planes.dtype}"
        f" {list(planes.shape)}",
    )
    _demand(
        planes.shape == shape,
        actions,
        f"encode's planes are {planes.shape}, but num_planes, rows and cols say {shape}",
    )
    if draws(game):
        fault = cells_fault(game, state)
        _demand(not fault, actions, fault)
    if hasattr(game, "num_plies"):
        plies = game.num_plies(state)
        _demand(
            isinstance(plies, Integral) and plies >= 0,
            actions,
            f"num_plies must be a whole number, how many moves the board shows, not {plies!r}",
        )
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
        repr(state) == before,
        played,
        "the move changed the position that it was played in; states must not mutate",
    )
    _check_rules(game, following, played)
    _demand(
        following == game.next_state(state, action),
        played,
        "play and next_state give different positions for a legal action, or play is not the same"
        " twice",
    )
    _demand(following != state, played, "the move did not change the position")
    if draws(game):
        fault = picture_fault(game, state, action, following)
        _demand(not fault, played, fault)
    return following


def _check_text(game: Game, actions: list[int], state) -> None:
    if not all(hasattr(game, name) for name in ("moves_text", "from_moves")):
        return
    text = game.moves_text(actions)
    _demand(
        game.from_moves(text) == state,
        actions,
        f"moves_text writes {text!r}, and from_moves reads another position from it",
    )
