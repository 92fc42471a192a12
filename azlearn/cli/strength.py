"""`azlearn evaluate` and `azlearn match`: how strong a player is, and who is stronger."""

import json as json_format
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import FlagCreatePairsOff, Positional, arg

from azlearn.cli.output import CommandError, check_seed, show


def evaluate(
    player: Annotated[Positional[str], arg(metavar="PLAYER")],
    game: Annotated[str | None, arg(metavar="GAME")] = None,
    positions: Annotated[Path | None, arg(metavar="FILE.csv")] = None,
    simulations: Annotated[tuple[int, ...], arg(metavar="N [N ...]")] = (50, 200, 1000),
    engine: Literal["compiled", "readable"] = "compiled",
    seed: int = 0,
    json: Annotated[bool, FlagCreatePairsOff] = False,
) -> int:
    """Measure how strong a player is. In Connect Four: how often its move keeps the exact value of
    solved positions. In other games: its score against UCT with as many simulations, 200 games.

    Args:
        player: "uct", "random", "tactical", "solver", a shipped network such as "connect4", a run's
            folder or a .safetensors file.
        game: as in `azlearn match`; if not given, that of the network, else connect4.
        positions: csv file of positions with exact scores; the shipped 1,000 if not given.
        simulations: simulations a move; one row of the table for each. 0: the network alone.
        engine: the search that "uct" uses; both make the same choices on average.
        seed: the same seed gives the same moves.
        json: print the list as JSON, and nothing else.
    """
    from azlearn import arena
    from azlearn.games import ConnectFour
    from azlearn.games.named import find_game

    check_seed(seed)
    try:
        (subject,) = arena.find_players([player], game and find_game(game))
        is_solved = subject.game == ConnectFour()
        if is_solved:
            rows = arena.evaluate(
                player,
                positions,
                list(simulations),
                seed=seed,
                progress=not json,
                readable=engine == "readable",
            )
        elif positions is not None:
            raise ValueError(f"--positions are of Connect Four, and {player} plays another game.")
        else:
            rows = arena.against_uct(
                player, subject.game, simulations, seed=seed, progress=not json
            )
    except (ValueError, OSError) as error:
        raise CommandError(str(error)) from error
    if json:
        print(json_format.dumps(rows, indent=2))
    elif is_solved:
        _show_strength(rows)
    else:
        _show_scores(rows)
    return 0


def match(
    a: Annotated[Positional[str], arg(metavar="A")],
    b: Annotated[Positional[str], arg(metavar="B")],
    games: Annotated[int, arg(metavar="N")] = 400,
    game: Annotated[str | None, arg(metavar="GAME")] = None,
    simulations: Annotated[int | None, arg(metavar="N")] = None,
    seed: int = 0,
    json: Annotated[bool, FlagCreatePairsOff] = False,
) -> int:
    """Let two players meet over many openings, each played twice with colours swapped.

    Args:
        a: a player as in `azlearn evaluate`; "uct@50" and "connect4@200" say the simulations.
        b: the other one.
        games: how many, an even number.
        game: connect4, tictactoe, othello:6, hex:5, dots_and_boxes:2x2, …, or a game of your own,
            my_game.py:MyGame; if not given, that of the networks, else connect4.
        simulations: simulations a move for players whose word does not say.
        seed: of the openings and of the players' own draws.
        json: print the result as JSON, and nothing else.
    """
    from azlearn import arena
    from azlearn.games.named import find_game

    check_seed(seed)
    try:
        players = arena.find_players([a, b], game and find_game(game), simulations)
        result = arena.play_match(*players, games=games, seed=seed, progress=not json).table()
    except (ValueError, OSError) as error:
        raise CommandError(str(error)) from error
    if json:
        print(json_format.dumps(result, indent=2))
    else:
        _show_match(result)
    return 0


def _show_strength(rows: list[dict]) -> None:
    from rich.table import Table

    table = Table(title="share of moves, with 95 % intervals")
    for title in ("player", "simulations", "positions", "keep the value", "best score"):
        table.add_column(title, justify="left" if title == "player" else "right")
    for row in rows:
        table.add_row(
            str(row["player"]),
            f"{row['simulations']:,}",
            f"{row['n']:,}",
            _share(row, "value_preserving"),
            _share(row, "optimal_score"),
        )
    show(table)


def _show_scores(rows: list[dict]) -> None:
    from rich.table import Table

    table = Table(title="score against UCT, with 95 % intervals")
    for title in ("player", "simulations", "against", "games", "score"):
        table.add_column(title, justify="left" if title in ("player", "against") else "right")
    for row in rows:
        table.add_row(
            str(row["player"]),
            f"{row['simulations']:,}",
            str(row["b"]),
            f"{row['games']:,}",
            _share(row, "score"),
        )
    show(table)


def _show_match(result: dict) -> None:
    from rich.table import Table

    table = Table(title=f"{result['a']} against {result['b']}")
    for title in ("", "won", "drawn", "lost"):
        table.add_column(title, justify="right" if title else "left")
    for title, counts in (
        ("as first player", result["as_first"]),
        ("as second player", result["as_second"]),
        ("together", result),
    ):
        table.add_row(title, *(f"{counts[name]:,}" for name in ("wins", "draws", "losses")))
    show(table)
    low, high = (_elo(bound) for bound in result["elo_interval"])
    print(
        f"score {_share(result, 'score')}; Elo difference {_elo(result['elo'])} [{low}, {high}];"
        f" {result['games']:,} games from {result['openings']:,} openings,"
        f" {result['distinct_games']:,} of them distinct"
    )


def _share(row: dict, name: str) -> str:
    low, high = row[f"{name}_interval"]
    return f"{row[name]:.1%}  [{low:.1%}, {high:.1%}]"


def _elo(difference: float | None) -> str:
    return "unbounded" if difference is None else f"{difference:+.0f}"
