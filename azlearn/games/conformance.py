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
    "one of three is wrong: play swaps me and opp when the turn passes and only then, to_play says"
    " who moves next, and the first plane has the stones of the player to move"
)


def assert_conforms(game: Game, num_games: int = 50, seed: int = 0, compiled: bool = True) -> None:
    """Plays random games and checks that everything the game reports about them is consistent.

    It then prints statistics of these games, and a warning of anything suspicious.

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
            if _answer(game, state) != answer:
                raise AssertionError(
                    f"Asked again about {state!r}, the game answers otherwise than when it was"
                    " reached: its mask or outcome is that of another position."
                )
        here.clear()
        lines = check_symmetries(game, visited, played, here)
        if fault := batch_fault(game, states, rng, compiled):
            raise AssertionError(fault)
        return told(game, games) + lines


@contextmanager
def _in_a_sentence(game: Game, actions: list[int]) -> Iterator[None]:
    """A problem, or what the game itself raises, as an AssertionError that says after which moves,
    and where in the game's file."""
    try:
        yield
    except AssertionError:
        raise
    except Problem as problem:
        raise AssertionError(f"After the actions {actions}: {problem}.") from None
    except Exception as error:
        frames = extract_tb(error.__traceback__)
        if isinstance(error, NotImplementedError):
            raise AssertionError(f"The class of the game must have {frames[-1].name}.") from error
        own = [frame for frame in frames if Path(frame.filename).parent != HOME] or frames
        line = f"line {own[-1].lineno} of {Path(own[-1].filename).name} ({own[-1].name})"
        why = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        raise AssertionError(f"After the actions {actions}: {line} raises {why}.") from error


def _check_game(game: Game, rng, here: list[int], planes: set[int]) -> tuple[list, list]:
    """One random game: its positions, and what the game answered in each.

    Args:
        here: emptied, and filled with the actions as they are played.
        planes: those that have always held the stones of the player to move are kept.
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
                "encode hides who moves: no plane has always held the stones of the player to move"
            )
        if not (legal := game.legal_actions(state)):
            break
        here.append(int(rng.choice(legal)))
        state = _check_move(game, state, here[-1])
        if len(here) > game.max_plies:
            raise Problem(
                f"a random game has not ended after max_plies = {game.max_plies} plies: make"
                " MAX_PLIES larger, or end what goes on for ever, by a count of plies in the"
                " position"
            )
    if all(hasattr(game, name) for name in ("moves_text", "from_moves")):
        text = game.moves_text(here)
        if game.from_moves(text) != state:
            raise Problem(
                f"moves_text writes {text!r}, and from_moves reads another position from it"
            )
    return visited, answers


def _check_interface(game: Game) -> None:
    if missing := [name for name in METHODS if not hasattr(game, name)]:
        raise AssertionError(f"The game has no {', '.join(missing)}; see azlearn.games.Game.")
    present = [name for name in BATCH_METHODS if hasattr(game, name)]
    if len(present) not in (0, len(BATCH_METHODS)):
        raise AssertionError(
            f"Of the batch methods the game has only {', '.join(present)}; it needs all or none."
        )
    labels = [game.action_label(a) for a in range(game.num_actions)] if _draws(game) else []
    for label in labels:
        if not isinstance(label, str) or label.split() != [label]:
            raise AssertionError(
                f"action_label must give a word without blanks, not {label!r:.80}."
            )
        if labels.count(label) > 1:
            raise AssertionError(f"action_label gives two actions the same label, {label!r}.")
    bits = getattr(game, "cell_bits", np.zeros(1))
    if bits.min() < 0 or bits.max() >= 64:
        raise AssertionError(
            f"cell_bits has cells on the bits {bits.min()} to {bits.max()}; a word has 0 to 63."
            " Give a larger board several words, and bit_planes instead of plane_boards."
        )


def _answer(game: Game, state) -> tuple:
    return game.legal_mask(state).tolist(), game.outcome(state), game.to_play(state)


def _draws(game: Game) -> bool:
    """Whether the game has what pictures need."""
    return all(hasattr(game, n) for n in ("cells", "cell", "action_label", "highlights"))


def _check_rules(game: Game, state, made: str) -> None:
    """What a rules module says of a position, before anything is made of it."""
    if not hasattr(game, "rules"):
        return
    if (
        not isinstance(state, game.State)
        or not hasattr(state, "_fields")
        or not all(isinstance(word, Integral) and -(2**63) <= word < 2**63 for word in state)
    ):
        raise Problem(
            f"{made} {state!r:.120}; a position must be a State, a NamedTuple of whole numbers,"
            " each of 64 bits"
        )
    if isinstance(state, State) and (
        state.me & state.opp or (state.me | state.opp) & ~game.all_cells
    ):
        raise Problem(
            f"{made} {state!r}, with two stones on one cell or stones beside the board: is_legal"
            " allows a cell that is taken, or a shift leaves the board"
        )
    said = game.rules.outcome(state)
    if not isinstance(said, tuple) or len(said) != 2:
        raise Problem(f"outcome must give (is_over, value), also while it goes on, not {said!r}")
    is_over, value = said
    if value not in (-1, 0, 1):
        raise Problem(f"outcome's value must be -1, 0 or 1, for the player to move, not {value!r}")
    if not is_over and value != 0:
        raise Problem(
            f"outcome says that the game goes on and gives the value {value!r}, which must be 0"
            " then: multiply it by is_over"
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
        raise Problem(f"legal_actions gives {list(legal)} but legal_mask allows {allowed}")
    if outcome is not None and not (isinstance(outcome, Real) and -1 <= outcome <= 1):
        raise Problem(
            f"outcome must be None or a value from -1 to 1 for the player to move, not {outcome!r}"
        )
    if not legal and outcome is None:
        raise Problem(
            "the game goes on (outcome None) but no move is legal: let outcome end it, or make a"
            " pass an action of its own"
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
            "encode must give finite float32 planes [num_planes, rows, cols], not"
            f" {planes.dtype} {list(planes.shape)}"
        )
    if planes.shape != shape:
        raise Problem(
            f"encode's planes are {planes.shape}, but num_planes, rows and cols say {shape}"
        )
    if _draws(game):
        _check_cells(game, state)
    plies = game.num_plies(state) if hasattr(game, "num_plies") else 0
    if not isinstance(plies, Integral) or plies < 0:
        raise Problem(
            f"num_plies must be a whole number, how many moves the board shows, not {plies!r}"
        )
    if repr(state) != before:
        raise Problem("asking about a position changed it; states must not mutate")
    return _answer(game, state)


def _check_move(game: Game, state, action: int) -> Any:
    """Plays the move, and gives the position after it."""
    before, following = repr(state), game.play(state, action)
    if repr(state) != before:
        raise Problem("the move changed the position that it was played in; states must not mutate")
    _check_rules(game, following, "play gives")
    if following != game.next_state(state, action):
        raise Problem(
            "play and next_state give different positions for a legal action, or play is not the"
            " same twice"
        )
    if following == state:
        raise Problem("the move did not change the position")
    if _draws(game):
        _check_picture(game, state, action, following)
    return following


# Whether what is drawn is what is played. ``RulesGame`` makes pictures of the planes, so a position
# seen by the wrong player is found here, too.


def _check_cells(game: Game, state) -> None:
    """The cells of a position, and those that are emphasised."""
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
        # Where the game can show what has won, its owner has: +1 for the player to move, else -1.
        right = 1 if owners == {mover} else -1
        if outcome != right:
            raise Problem(
                f"the cells of player {owners.pop()} are highlighted as won and player {mover} is"
                f" to move, so outcome must be {right:+d} (values are for the player to move), not"
                f" {outcome}"
            )


def _check_picture(game: Game, state, action: int, following) -> None:
    """``cells`` must change where ``cell`` says, and by the mover's stone if stones are placed.

    Where a piece goes from one cell to another, nobody asks ``cell``.
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
            f"cell gives None, but the move filled cell {changed[0]}: give that cell, and None"
            " where a move fills none"
        )
    if where is not None and where not in range(len(before)):
        raise Problem(f"cell says that the move fills cell {where}, which is not on the board")
    if is_filled and after[changed[0]] in (1, 2):
        if changed != [where]:
            raise Problem(
                f"cell says that the mover's stone lands on cell {where}, but cells show it on cell"
                f" {changed[0]}: cell_bit and the rules number the cells in different ways"
            )
        if after[where] != mover + 1:
            raise Problem(
                f"player {mover} placed the stone on cell {where}, and cells show it as player"
                f" {1 - mover}'s; {WHOSE}"
            )
    if where is not None and (not after[where] or before[where]):
        raise Problem(
            f"cell says that the move fills cell {where}, but cells show another board: they change"
            f" on {changed or 'no cell'}"
        )
    if drawing.fills and (changed != [where] or game.to_play(following) == mover):
        raise Problem(
            "drawing has fills=True, but the move did more than place one stone and pass the turn:"
            " leave fills out"
        )
    if drawing.falls and where is not None and where % game.cols != action:
        raise Problem(
            f"drawing has falls=True, so action {action} must fill a cell of column {action}, not"
            f" cell {where}"
        )
