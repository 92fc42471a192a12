"""Reads and writes moves: labels, whole games as text, and moves in messages."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from azlearn.games.game import Game, State

FEW = 16  # a message lists up to this many moves in full


def label(game: Game, action: int) -> str:
    """An action's label in its game; if the game has no labels, its number counted from 1."""
    write = getattr(game, "action_label", None)
    return write(action) if write else str(action + 1)


def labels(game: Game) -> list[str]:
    """The labels of all actions, [num_actions]."""
    return [label(game, action) for action in range(game.num_actions)]


def named(game: Game, action) -> str:
    """An action in a message: ``"move 4 (action 3)"``; ``"action 9"`` if the game lacks it."""
    known = action in range(game.num_actions)
    return f"move {label(game, int(action))} (action {action})" if known else f"action {action!r}"


def all_named(game: Game, actions: Sequence[int]) -> str:
    """Several actions in a message: ``"1, 2, 5 (actions 0, 1, 4)"``."""
    written = listed([label(game, action) for action in actions])
    return f"{written} (action{'s' * (len(actions) > 1)} {listed(list(map(str, actions)))})"


def listed(words: list[str]) -> str:
    """Joins words for a message; leaves out the middle if there are many."""
    return ", ".join(words if len(words) <= FEW else [*words[:3], "…", *words[-2:]])


def refusal(game: Game, action, legal: Sequence[int]) -> str:
    """Says why ``action`` cannot be played in a position with these ``legal`` actions."""
    what = named(game, action)
    what = what[0].upper() + what[1:]
    if not legal:
        return f"{what} cannot be played: the game is over."
    moves = "the only legal move is" if len(legal) == 1 else "the legal moves are"
    return f"{what} is illegal here; {moves} {all_named(game, legal)}."


def separator(written: Iterable[str]) -> str:
    """The separator between moves in a text: nothing if every label is one character."""
    return "" if all(len(word) == 1 for word in written) else " "


def read_moves(game: Game, moves: str | bytes | Sequence[int]) -> tuple[list[int], list[State]]:
    """Reads moves; returns the actions, and the positions from the start to the end.

    Args:
        moves: text, the text of an SGF file (Go only), or a list of actions. In text, moves may be
            separated by spaces, commas or line breaks, and case is ignored unless two labels differ
            only in case.

    Returns:
        n actions and n + 1 positions.

    Raises:
        ValueError: a word is not a move, or a move is illegal; the message names it.
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
            why = "is illegal there" if legal else "comes after the end of the game"
            raise ValueError(f"Move {number} ({word}) {why}.")
        actions.append(int(action))
        states.append(game.play(states[-1], actions[-1]))
    return actions, states


def action_called(written: Sequence[str], word: str) -> int | None:
    """The action with this label; ignores case unless two labels differ only in case."""
    if word in written:
        return written.index(word)
    folded = [label.casefold() for label in written]
    is_told_apart = len(set(folded)) == len(folded)
    word = word.casefold()
    return folded.index(word) if is_told_apart and word in folded else None


def is_record(moves: str | bytes | Sequence[int]) -> bool:
    """Whether this is meant to be the text of an SGF file."""
    return isinstance(moves, bytes) or (isinstance(moves, str) and moves.lstrip().startswith("("))


def from_file(moves: str | Path | Sequence[int]) -> str | bytes | Sequence[int]:
    """Returns the content of a file if ``moves`` names an .sgf file; otherwise ``moves`` itself.

    Raises:
        OSError: the file cannot be read; the message is one sentence.
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
            cells = [one for one in written if one != "pass"]
            known = f"{cells[0]} to {cells[-1]}" if len(written) > 2 else " or ".join(written)
            known += " or pass" if len(cells) < len(written) else ""
            raise ValueError(f"Move {number} is {word!r}, but moves are written as {known}.")
        yield number, action


def _of_record(game: Game, text: str | bytes) -> Iterator[tuple[int, int]]:
    from azlearn.games.go.go import Go
    from azlearn.games.go.records import from_sgf  # imports sgfmill, which is rarely needed

    recorded, actions = from_sgf(text)
    if not isinstance(game, Go) or (game.size, game.komi) != (recorded.size, recorded.komi):
        size, komi = recorded.size, recorded.komi
        raise ValueError(
            f"This SGF file is a game of Go on {size}x{size} with komi {komi:g}, which is a"
            " different game."
        )
    return enumerate(actions, 1)
