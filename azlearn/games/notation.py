"""How moves are written and read: labels, whole games as text, and moves in messages."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from azlearn.games.game import Game, State

FEW = 16  # moves that a sentence lists in full


def label(game: Game, action: int) -> str:
    """An action as its game writes it; counted from 1 if the game does not say."""
    write = getattr(game, "action_label", None)
    return write(action) if write else str(action + 1)


def labels(game: Game) -> list[str]:
    """[num_actions]: every action as its game writes it."""
    return [label(game, action) for action in range(game.num_actions)]


def named(game: Game, action) -> str:
    """An action in a message: ``"move 4 (action 3)"``; ``"action 9"`` if the game has none such."""
    known = action in range(game.num_actions)
    return f"move {label(game, int(action))} (action {action})" if known else f"action {action!r}"


def all_named(game: Game, actions: Sequence[int]) -> str:
    """Several actions in a message: ``"1, 2, 5 (actions 0, 1, 4)"``."""
    written = listed([label(game, action) for action in actions])
    return f"{written} (action{'s' * (len(actions) > 1)} {listed(list(map(str, actions)))})"


def listed(words: list[str]) -> str:
    """Words in a sentence: all of a few, the ends of many."""
    return ", ".join(words if len(words) <= FEW else [*words[:3], "…", *words[-2:]])


def refusal(game: Game, action, legal: Sequence[int]) -> str:
    """Why ``action`` cannot be played where ``legal`` actions can."""
    what = named(game, action)
    what = what[0].upper() + what[1:]
    if not legal:
        return f"{what} cannot be played: the game is over."
    moves = "the only legal move is" if len(legal) == 1 else "the legal moves are"
    return f"{what} is illegal here; {moves} {all_named(game, legal)}."


def separator(written: Iterable[str]) -> str:
    """What stands between two moves of a text: nothing if all labels have one character."""
    return "" if all(len(word) == 1 for word in written) else " "


def read_moves(game: Game, moves: str | bytes | Sequence[int]) -> tuple[list[int], list[State]]:
    """The actions of a game, and the positions from the start to after the last.

    Args:
        moves: text, in which blanks, commas and line breaks between moves do not matter, nor does
            upper or lower case unless it tells two moves apart; the text of an SGF record, of Go;
            or a list of actions.

    Returns:
        n actions and n + 1 positions.

    Raises:
        ValueError: moves names no move, or an impossible one; says which.
    """
    written = labels(game)
    if is_record(moves):
        given = _of_record(game, moves)
    else:
        given = _of_text(written, moves) if isinstance(moves, str) else enumerate(moves, 1)
    actions, states = [], [game.initial_state()]
    for number, action in given:
        legal = game.legal_actions(states[-1])
        if action not in legal:
            word = written[action] if action in range(len(written)) else repr(action)
            why = "is not possible there" if legal else "comes after the end of the game"
            raise ValueError(f"Move {number}, {word}, {why}.")
        actions.append(int(action))
        states.append(game.play(states[-1], actions[-1]))
    return actions, states


def position_of(game: Game, given: State | str | bytes | list[int] | None) -> State:
    """A position, or the one behind moves as ``read_moves`` takes them; None for the first one."""
    if given is None or isinstance(given, str | bytes | list):
        return read_moves(game, given or "")[1][-1]
    return given


def action_called(written: Sequence[str], word: str) -> int | None:
    """The action of a label, in upper or lower case if no two labels differ in that alone."""
    if word in written:
        return written.index(word)
    folded = [label.casefold() for label in written]
    is_told_apart = len(set(folded)) == len(folded)
    word = word.casefold()
    return folded.index(word) if is_told_apart and word in folded else None


def is_record(moves: str | bytes | Sequence[int]) -> bool:
    """Whether this is, or should be, the text of an SGF record."""
    return isinstance(moves, bytes) or (isinstance(moves, str) and moves.lstrip().startswith("("))


def from_file(moves: str | Path | Sequence[int]) -> str | bytes | Sequence[int]:
    """The content of a file that ends in .sgf; moves of any other kind as they are.

    Raises:
        OSError: the file cannot be read; one sentence.
    """
    is_file = isinstance(moves, Path) or (
        isinstance(moves, str) and moves.lower().endswith(".sgf") and not is_record(moves)
    )
    if not is_file:
        return moves
    try:
        return Path(moves).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {moves}.") from None
    except OSError as error:
        raise OSError(f"{moves} cannot be read: {error.strerror}.") from error


def _of_text(written: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    words = text.replace(",", " ").split()
    if not separator(written):
        words = list("".join(words))
    for number, word in enumerate(words, 1):
        if (action := action_called(written, word)) is None:
            known = f"{written[0]} to {written[-1]}" if len(written) > 2 else " or ".join(written)
            raise ValueError(f"Move {number} is {word!r}; moves are written {known}.")
        yield number, action


def _of_record(game: Game, text: str | bytes) -> Iterator[tuple[int, int]]:
    from azlearn.games.go.go import Go
    from azlearn.games.go.records import from_sgf  # sgfmill, which few games need

    recorded, actions = from_sgf(text)
    if not isinstance(game, Go) or (game.size, game.komi) != (recorded.size, recorded.komi):
        size, komi = recorded.size, recorded.komi
        raise ValueError(f"This record is of Go on {size}x{size} with komi {komi:g}, another game.")
    return enumerate(actions, 1)
