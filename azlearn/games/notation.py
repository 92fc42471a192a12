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
    return f"{what} is illegal here; the legal moves are {all_named(game, legal)}."


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


def is_record(moves: str | bytes | Sequence[int]) -> bool:
    """Whether this is, or should be, the text of an SGF record."""
    return isinstance(moves, bytes) or (isinstance(moves, str) and moves.lstrip().startswith("("))


def from_file(moves: str | Path | Sequence[int]) -> str | bytes | Sequence[int]:
    """The content of a file that ends in .sgf; moves of any other kind as they are.

    Raises:
        OSError: the file cannot be read.
    """
    is_file = isinstance(moves, Path) or (
        isinstance(moves, str) and moves.lower().endswith(".sgf") and not is_record(moves)
    )
    return Path(moves).read_bytes() if is_file else moves


def _of_text(written: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    words = text.replace(",", " ").split()
    if not separator(written):
        words = list("".join(words))
    action_of = {word: action for action, word in enumerate(written)}
    folded = {word.casefold(): action for action, word in enumerate(written)}
    if len(folded) == len(action_of):
        action_of = folded | action_of
    for number, word in enumerate(words, 1):
        action = action_of.get(word, action_of.get(word.casefold()))
        if action is None:
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
