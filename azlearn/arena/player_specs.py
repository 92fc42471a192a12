"""Makes players from their names on the command line and in notebooks."""

from collections.abc import Callable, Sequence
from pathlib import Path

from azlearn.arena.gtp_player import GTPPlayer
from azlearn.arena.gtp_program import PATIENCE
from azlearn.arena.network_players import NetworkPlayer, PUCTPlayer
from azlearn.arena.players import (
    CompiledUCTPlayer,
    Player,
    RandomPlayer,
    SolverPlayer,
    TacticalPlayer,
    UCTPlayer,
)
from azlearn.games import ConnectFour, Go
from azlearn.games.game import describe_difference
from azlearn.games.rules_game import RulesGame
from azlearn.games.solver import SolverMissing, move_scores
from azlearn.search.selection import check_count
from azlearn.spelling import did_you_mean, folders_beside

GTP = "gtp:"  # followed by a program's command
UCT_SIMULATIONS, PUCT_SIMULATIONS = 1000, 200  # the defaults
CACHE_BITS = 16  # a network with search caches 2**16 evaluations

_WITHOUT_SEARCH: dict[str, Callable[[RulesGame], Player]] = {
    "random": RandomPlayer,
    "tactical": TacticalPlayer,
    "solver": SolverPlayer,
}


def make_player(
    word: str,
    game: RulesGame | None = None,
    simulations: int | None = None,
    *,
    readable: bool = False,
    patience: float | Sequence[float] = PATIENCE,
) -> Player:
    """Returns the player that ``word`` means.

    Args:
        word: ``"random"``, ``"tactical"``, ``"uct"``, ``"solver"``, a shipped network such as
            ``"connect4"``, a run's folder or a ``.safetensors`` file. A number after an @ sets the
            simulations per move, as in ``"uct@50"``. ``"gtp:"`` and a command start a program that
            speaks the Go Text Protocol, as in
            ``"gtp:gnugo --mode gtp --chinese-rules --capture-all-dead"``.
        game: None: the network's own, Go for a Go program, else Connect Four.
        simulations: used if ``word`` does not set it; None: 1,000 for UCT, 200 for a network. 0
            means a network's policy without search. Players that do not search ignore it.
        readable: UCT as the readable ``MCTS`` instead of the compiled one.
        patience: seconds to wait for a program; see ``GTPPlayer``.

    Raises:
        ValueError: there is no such player, it plays another game, the simulations are too few, or
            the solver is not installed.
        OSError: a file cannot be read.
    """
    if not isinstance(word, str):
        raise ValueError(f"A player's name must be text, such as 'uct@50', not {word!r:.80}.")
    if word.startswith(GTP):
        return GTPPlayer(game or Go(), word.removeprefix(GTP), patience)
    name, given = split_word(word)
    simulations = simulations if given is None else given
    if name in _WITHOUT_SEARCH:
        player = _WITHOUT_SEARCH[name](game or ConnectFour())
        if name == "solver":
            _check_solver(player.game)
        return player
    if name == "uct":
        simulations = UCT_SIMULATIONS if simulations is None else simulations
        return (UCTPlayer if readable else CompiledUCTPlayer)(game or ConnectFour(), simulations)
    return _named_network(name, game, simulations)


def as_player(given) -> Player:
    """Returns a player as it is, or the player that ``given`` means.

    Args:
        given: a player; a word, or the path of a run's folder, as ``make_player`` takes it; or a
            loaded network, which plays with 200 simulations.

    Raises:
        ValueError: ``given`` is none of these, or as in ``make_player``.
    """
    if isinstance(given, (str, Path)):
        return make_player(str(given))
    if all(hasattr(given, name) for name in ("network", "game", "tree_policy")):
        return network_player(given, PUCT_SIMULATIONS)
    if not (hasattr(given, "game") and callable(getattr(given, "choose", None))):
        raise ValueError(
            "A player must have a game and a method choose(state, rng), or be a word such as"
            f" 'uct@50', a run's folder or a loaded network, not {given!r:.80}."
        )
    return given


def find_players(
    words: Sequence[str],
    game: RulesGame | None = None,
    simulations: int | None = None,
    patience: float | Sequence[float] = PATIENCE,
) -> list[Player]:
    """Returns the players that ``words`` name, all of one game; see ``make_player``.

    If no game is given, the first network decides it. Otherwise it is Go if a Go program is among
    them.
    """
    found: dict[str, Player] = {}
    for word in words:
        if game is None and is_network(word):
            found[word] = make_player(word, None, simulations)
            game = found[word].game
    if game is None and any(word.startswith(GTP) for word in words):
        game = Go()
    return [
        found.get(word) or make_player(word, game, simulations, patience=patience) for word in words
    ]


def split_word(word: str) -> tuple[str, int | None]:
    """Splits ``"uct@50"`` into ``("uct", 50)``; None if there is no number."""
    name, at, number = word.rpartition("@")
    if at and number.isdecimal() and not word.startswith(GTP) and not Path(word).exists():
        return name, int(number)
    return word, None


def searches(word: str) -> bool:
    """Returns whether the player that ``word`` means searches with a number of simulations."""
    return split_word(word)[0] not in _WITHOUT_SEARCH and not word.startswith(GTP)


def is_network(word: str) -> bool:
    """Returns whether ``word`` can only mean a network, shipped or in a file."""
    name = split_word(word)[0]
    return name not in (*_WITHOUT_SEARCH, "uct") and not name.startswith(GTP)


def _named_network(name: str, game: RulesGame | None, simulations: int | None) -> Player:
    from azlearn.learning import load_network, shipped_networks  # PyTorch takes seconds to import

    try:
        loaded = load_network(name)
    except FileNotFoundError:
        known = [*_WITHOUT_SEARCH, "uct", *shipped_networks(), *folders_beside(name)]
        raise ValueError(
            f"Unknown player {name!r}. Use random, tactical, uct, solver, a shipped network, or"
            " the path of a run's folder or .safetensors file." + did_you_mean(name, known)
        ) from None
    if game is not None and game != loaded.game:
        own, asked = describe_difference(loaded.game, game)
        raise ValueError(f"{name} plays {own}, not {asked}.")
    return network_player(loaded, PUCT_SIMULATIONS if simulations is None else simulations, name)


def network_player(loaded, simulations: int, name: str | None = None) -> Player:
    """Returns a player with a loaded network, which searches as in the network's self-play.

    Args:
        simulations: per move; 0 means the network's policy without search.
        name: the start of the player's name; None: the name of its search.

    Raises:
        ValueError: simulations is below 0, or the network's settings are invalid.
    """
    check_count(simulations, "simulations", least=0)
    if simulations == 0:
        return NetworkPlayer(loaded.game, loaded, name=f"{name or 'network'} without search")
    tree_policy = loaded.tree_policy()
    label = name or ("Gumbel" if tree_policy else "PUCT")
    shape = loaded.game, loaded, simulations
    return PUCTPlayer(*shape, label=label, tree_policy=tree_policy, cache_bits=CACHE_BITS)


def _check_solver(game: RulesGame) -> None:
    """Raises ValueError if the solver is missing, now rather than in the middle of a match."""
    try:
        move_scores(game, game.initial_state())
    except SolverMissing as error:
        raise ValueError(str(error)) from None
