"""Games by name: the package's games, and custom games in files.

A word names a game: ``connect4``, ``othello:6`` or ``othello6``, ``dots_and_boxes:2x3``. Options
come last: ``go7:komi=9.5``, ``go:5:komi=0,superko``. A custom game is
``path/to/my_game.py:MyGame``, where ``MyGame`` is a game, or a class that needs no arguments.
"""

import ast
import importlib.util
import os
import sys
import warnings
from contextlib import suppress
from dataclasses import fields
from functools import cache
from hashlib import sha256
from pathlib import Path

from azlearn.games.conformance import conformance
from azlearn.games.connect_four import ConnectFour
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.go import Go
from azlearn.games.hex import Hex
from azlearn.games.othello import Othello
from azlearn.games.rules_game import RulesGame
from azlearn.games.tic_tac_toe import TicTacToe
from azlearn.old_names import old_names
from azlearn.spelling import did_you_mean

GAMES = {
    "connect4": ConnectFour,
    "tictactoe": TicTacToe,
    "othello": Othello,
    "dots_and_boxes": DotsAndBoxes,
    "hex": Hex,
    "go": Go,
}


def make_game(word: str) -> RulesGame:
    """The game that a word names; the same object for the same word.

    A word from ``stored_name`` contains the fingerprint of the file and of the files next to it
    that it imports. If one of them has changed since, they are still used, with a warning. If the
    file no longer exists, a file of the same name in the current folder is used, provided that its
    fingerprint matches.

    Raises:
        ValueError: there is no such game, size or file; or the file does not contain the game; or
            two random games show that its rules are wrong (``check_own_game`` plays more).
    """
    if not isinstance(word, str):
        raise ValueError(f"Name a game by a string, such as 'connect4', not {word!r:.80}.")
    path, name, was = _parts(word)
    if path is None:
        return _of_the_package(word)
    beside = Path(path.name)
    if not path.is_file() and was and beside.is_file() and _fingerprint(beside).startswith(was):
        path = beside  # the run was copied here with its game file
    if not path.is_file():
        other = ""
        if beside.is_file():
            other = f" {beside} in this folder, or a file that it imports, is not the run's."
        raise ValueError(f"There is no file {path}, which should contain the game {name}.{other}")
    if not _fingerprint(path).startswith(was):
        warnings.warn(
            f"{path} or a file that it imports has changed since this run started. If the rules"
            " have changed, start a new run.",
            stacklevel=2,
        )
    return _from_file(path.resolve(), name, _fingerprint(path))


def check_own_game(word: str) -> list[str]:
    """Runs the whole conformance suite, as before training, on a game from a file. Takes a while.

    Returns:
        A description of its random games, as lines; see ``assert_conforms``.

    Raises:
        ValueError: as in ``make_game``, or 50 random games show that the rules are wrong.
    """
    path, name, _ = _parts(word)
    return _check(make_game(word), path, name, num_games=50, compiled=True)


def is_own_game(word: str) -> bool:
    """Whether the word names a game in a file rather than a game of the package."""
    return _parts(word)[0] is not None


def stored_name(word: str) -> str:
    """The form of ``word`` that a run stores; for a game in a file, its full path and fingerprint.

    Raises:
        ValueError: as ``make_game``.
    """
    make_game(word)
    path, name, was = _parts(word)
    if path is None or was:
        return word
    return f"{path.resolve()}:{name}#{_fingerprint(path)}"


def short_name(word: str) -> str:
    """A short name for the game, for example to name a folder."""
    path, name, _ = _parts(word)
    return name if path is not None else word.replace(":", "_").replace(",", "_")


def word_of(game: RulesGame) -> str | None:
    """The word that makes ``make_game`` return an equal game; None outside the package."""
    for name, kind in GAMES.items():
        if type(game) is kind:
            told = {True: [], False: []}
            for field in fields(game):
                if (value := getattr(game, field.name)) is not False:
                    is_switch = value is True
                    text = f"{value:g}" if not is_switch else field.name
                    text = text if is_switch or not field.kw_only else f"{field.name}={text}"
                    told[field.kw_only].append(text)
            parts = name, "x".join(told[False]), ",".join(told[True])
            return ":".join(filter(None, parts))
    return None


def plain_name(game: RulesGame) -> str:
    """A game's name and size, no options: ``go7`` for ``Go(7, komi=0)``; "" outside the package."""
    name, sizes, _ = _spelled(word_of(game) or "")
    return f"{name}:{sizes}" if "x" in sizes else name + sizes


def shipped_name(game: RulesGame) -> str:
    """The game's name in the package's files; "" if its options are not the defaults."""
    name = plain_name(game)
    return name if name and make_game(name) == game else ""


def _parts(word: str) -> tuple[Path | None, str, str]:
    """``(file, name in it, fingerprint or "")``; the file is None for a game of the package."""
    file, colon, name = word.rpartition(".py:")
    if not colon:
        return None, word, ""
    name, _, was = name.partition("#")
    return Path(os.path.expanduser(file + ".py")), name, was  # an unknown ~user stays as it is


def _fingerprint(path: Path) -> str:
    """16 digits for the file and, if it imports files next to it, 16 more for all of these.

    Earlier versions stored only the first 16.
    """
    digest = sha256(path.read_bytes()).hexdigest()[:16]
    beside = [sha256(file.read_bytes()).digest() for _, file in sorted(_neighbors(path).items())]
    return digest + sha256(b"".join(beside)).hexdigest()[:16] if beside else digest


def _neighbors(path: Path) -> dict[str, Path]:
    """The files next to ``path`` that it imports, directly or through each other, by module name.

    A file with the name of a module of the standard library does not count.
    """
    found: dict[str, Path] = {}
    left = [path]
    for file in left:  # the loop appends to it
        for name in _imported(file.read_bytes()) - {*found, *sys.stdlib_module_names}:
            if (beside := path.with_name(f"{name}.py")).is_file():
                found[name] = beside
                left.append(beside)
    return found


@cache
def _imported(source: bytes) -> frozenset[str | None]:
    """The names of the modules that a file imports."""
    names: list[str | None] = []
    with suppress(SyntaxError, ValueError):  # running the file reports it
        for part in ast.walk(ast.parse(source)):
            if isinstance(part, ast.Import):
                names += [alias.name for alias in part.names]
            elif isinstance(part, ast.ImportFrom):
                names.append(part.module)
    return frozenset(names)


@cache
def _of_the_package(word: str) -> RulesGame:
    name, sizes, options_text = _spelled(word)
    if name not in GAMES:
        raise ValueError(
            f"game must be one of {', '.join(GAMES)}, or a file and a class in it, such as"
            f" my_game.py:MyGame, not {word!r}.{did_you_mean(name, GAMES)}"
        )
    numbers = sizes.split("x") if sizes else []
    if not all(number.isdecimal() for number in numbers):
        raise ValueError(f"Give the size as one or two numbers, as in othello:6, not {sizes!r}.")
    options = _parse_options(name, options_text)
    try:
        return GAMES[name](*map(int, numbers), **options)
    except TypeError:
        raise ValueError(f"{name} does not support the size {sizes!r}.") from None


def _spelled(word: str) -> tuple[str, str, str]:
    """``("go", "7", "komi=9.5")`` for ``go7:komi=9.5`` and for ``go:7:komi=9.5``."""
    head, *rest = word.split(":")
    name = head if head in GAMES else head.rstrip("0123456789")
    sizes = head.removeprefix(name)
    if rest and not sizes and not (rest[0][:1].isalpha() and _options(name)):
        sizes = rest.pop(0)
    return name, sizes, ":".join(rest)


def _options(name: str) -> dict[str, type]:
    """The options of a game of the package besides its size: its keyword-only fields."""
    fields = getattr(GAMES.get(name), "__dataclass_fields__", {})
    return {field.name: field.type for field in fields.values() if field.kw_only}


def _parse_options(name: str, text: str) -> dict[str, float | bool]:
    """``{"komi": 9.5, "superko": True}`` for ``"komi=9.5,superko"``."""
    found, options = {}, _options(name)
    for part in text.split(",") if text else []:
        key, equals, value = part.partition("=")
        is_switch = options.get(key) is bool
        try:
            if key not in options or key in found or is_switch == bool(equals):
                raise ValueError
            found[key] = is_switch or (int(value) if value.isdecimal() else float(value))
        except ValueError:
            known = [key if kind is bool else f"{key}=NUMBER" for key, kind in options.items()]
            has = f"has the options {', '.join(known)}, not" if known else "has no options such as"
            raise ValueError(f"{name} {has} {part!r}.") from None
    return found


_RUN: dict[Path, bytes] = {}  # the content of each imported file when it was last run


@cache
def _from_file(path: Path, name: str, fingerprint: str) -> RulesGame:
    """The game ``name`` in a file.

    The file and the files next to it that it imports are run and checked again only if the content
    of one of them changes.
    """
    module_name = f"azlearn_game_{fingerprint}_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    beside = _neighbors(path)
    contents = {file: file.read_bytes() for file in beside.values()}
    if not all(
        getattr(sys.modules.get(other), "__file__", "") == str(file)
        and _RUN.get(file, contents[file]) == contents[file]
        for other, file in beside.items()
    ):
        for other in beside:
            sys.modules.pop(other, None)  # of another game, or from before a change
    _RUN.update(contents)
    sys.path.insert(0, str(path.parent))  # it may import its rules from a file next to it
    try:
        spec.loader.exec_module(module)
        found = getattr(module, name, None)
        game = found() if isinstance(found, type) else found
    except Exception as error:
        raise ValueError(f"{path} fails to run: {type(error).__name__}: {error}.") from error
    finally:
        sys.path.remove(str(path.parent))
    if not isinstance(game, RulesGame):
        raise ValueError(
            f"{path} contains no game {name!r}. It must be a RulesGame, or a subclass of it."
        )
    _check(game, path, name, num_games=2, compiled=False)
    return game


def _check(game: RulesGame, path: Path, name: str, num_games: int, compiled: bool) -> list[str]:
    try:
        return conformance(game, num_games, compiled=compiled)
    except AssertionError as error:
        raise ValueError(f"{name} in {path} is not a valid game. {error}") from error


__getattr__ = old_names(__name__, find_game="make_game")
