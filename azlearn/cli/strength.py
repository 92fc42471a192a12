"""`azlearn evaluate` and `azlearn match`: measure a player's strength, and compare two players."""

import json as json_format
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from azlearn.cli.output import (
    PATIENCE,
    Count,
    Flag,
    Game,
    Patience,
    announce,
    check_is_new,
    command_errors,
    number,
    report_on_interrupt,
    show_table,
)

if TYPE_CHECKING:
    from azlearn.arena import Match
    from azlearn.games.rules_game import RulesGame

_MOST_REASONS = 5  # how many reasons for giving up a game are shown


def evaluate(
    player: Annotated[Positional[str], arg(metavar="PLAYER")],
    game: Game = None,
    positions: Annotated[Path | None, arg(metavar="FILE.csv")] = None,
    simulations: Annotated[tuple[int, ...], arg(metavar="N [N ...]")] = (50, 200, 1000),
    ruler: Literal["first", "second", "decisive"] | None = None,
    games: Annotated[int, arg(metavar="N")] = 100,
    over_time: Flag = False,
    seed: int = 0,
    json: Flag = False,
    patience: Patience = PATIENCE,
) -> int:
    """Measure how strong a player is.

    In Connect Four: how often its move preserves the value of a solved position. In other games:
    its score in 200 games against UCT with the same number of simulations.

    Args:
        player: "uct", "random", "tactical", "solver", a shipped network such as "connect4", a run's
            folder or a .safetensors file.
        positions: CSV or JSON file of positions with exact scores. If not given: the 1,000 that
            ship with azlearn.
        simulations: simulations per move, one table row for each number; 0 means the network
            without search.
        ruler: (Connect Four only) other measures, which other projects use too. first: how many
            games it wins as first player against perfect play. second: how many plies it lasts
            as second player. decisive: how often its move preserves the value in positions where
            not all moves have the same result.
        games: number of games on each side, for --ruler first and second.
        over_time: measure every snapshot of a run, from the first to the last.
        seed: seed of the player's random choices.
        json: print only the list of results, as JSON.
    """
    if not json:
        announce(f"Measuring {player}: loading …")

    from azlearn import arena
    from azlearn.games import ConnectFour
    from azlearn.games.named import make_game

    with command_errors():
        words = _kept(player) if over_time else [player]
        if ruler and game and make_game(game) != ConnectFour():
            raise ValueError(f"--ruler is only for Connect Four, not for {game}.")
        if ruler in ("first", "second") and positions:
            raise ValueError(f"--positions cannot be combined with --ruler {ruler}.")
        if ruler:
            return _by_ruler(words, ruler, positions, simulations, games, seed, json)
        (subject,) = arena.find_players(words[-1:], game and make_game(game), patience=patience)
        is_solved = subject.game == ConnectFour()
        if positions is not None and not is_solved:
            raise ValueError(f"--positions is only for Connect Four; {player} plays another game.")
        rows: list[dict] = []
        options = {"seed": seed, "progress": not json, "done": rows.append}

        def tell() -> None:
            ordered = sorted(rows, key=lambda row: words.index(row["player"]))
            _show_rows(ordered, is_solved, json)

        with report_on_interrupt(rows, tell):
            for word in (words[-1], *words[:-1]):  # a run that trains replaces its newest network
                if is_solved:
                    arena.evaluate(word, positions, simulations, **options)
                else:
                    arena.against_uct(word, subject.game, simulations, **options, patience=patience)
    tell()
    return 0


def _by_ruler(words, ruler, positions, simulations, games, seed, as_json) -> int:
    """Measures the players by one of the three rulers."""
    from azlearn import arena

    rows: list[dict] = []
    chosen = arena.load_positions(positions) if ruler == "decisive" else []
    newest = arena.at_budgets(words[-1], simulations)  # a run that trains replaces this network
    earlier = [player for word in words[:-1] for player in arena.at_budgets(word, simulations)]
    with report_on_interrupt(rows, lambda: _show_ruler(rows, ruler, as_json)):
        for subject in earlier + newest:
            if ruler == "decisive":
                found = arena.decisive(subject, chosen, seed, progress=not as_json)
            else:
                both = arena.against_perfect_play(subject, games, seed, progress=not as_json)
                found = both[ruler]
            rows.append({"player": subject.name, "ruler": ruler, "seed": seed, **found})
    _show_ruler(rows, ruler, as_json)
    return 0


def _show_ruler(rows: list[dict], ruler: str, as_json: bool) -> None:
    if as_json:
        print(json_format.dumps(rows, indent=2))
        return
    cells: list[tuple] = []
    if ruler == "decisive":
        title = "moves that preserve the value, with 95% intervals"
        columns = ["player", "decisive positions", "value-preserving"]
        cells = [(row["player"], row["n"], _share(row, "value_preserving")) for row in rows]
    elif ruler == "first":
        title = "as first player against perfect play, with 95% intervals"
        columns = ["player", "games", "distinct", "won", "drawn", "lost", "share won"]
        for row in rows:
            counts = (row[name] for name in ("games", "distinct_games", "wins", "draws", "losses"))
            cells.append((row["player"], *counts, _share(row, "won")))
    else:
        title = "as second player against perfect play: plies until it loses, at most 41"
        columns = ["player", "games", "distinct", "not lost", "after 41 plies", "mean plies"]
        for row in rows:
            kept = row["wins"] + row["draws"]
            plies = "-"
            if row["plies"] is not None:
                plies = "{:.1f}  [{:.1f}, {:.1f}]".format(row["plies"], *row["plies_interval"])
            counts = (row["games"], row["distinct_games"], kept, row["as_long"])
            cells.append((row["player"], *counts, plies))
    show_table(title, columns, cells)


def _kept(run: str) -> list[str]:
    """The snapshots of a run as player names, from the first to the last."""
    from azlearn.learning import list_snapshots

    if not (kept := list_snapshots(run)):
        raise ValueError(f"{run} contains no snapshots. Name a run's folder that contains some.")
    return [f"{run}:{iteration}" for iteration in kept]


def match(
    a: Annotated[Positional[str], arg(metavar="A")],
    b: Annotated[Positional[str], arg(metavar="B")],
    games: Annotated[int, arg(metavar="N")] = 400,
    game: Game = None,
    simulations: Count = None,
    seed: int = 0,
    out: Annotated[Path | None, arg(metavar="FILE")] = None,
    sgf: Annotated[Path | None, arg(metavar="FOLDER")] = None,
    json: Flag = False,
    patience: Patience = PATIENCE,
) -> int:
    """Play a match between two players. Each opening is played twice, with colors swapped.

    Press Ctrl-C to stop early and see the table of the games played so far.

    Args:
        a: a player as in `azlearn evaluate`. Add @N for N simulations per move, as in "uct@50" or
            "connect4@200".
        b: the other player. Name a GTP program by its command. Dead stones are not removed when a
            game ends, so tell the program to capture them, as in
            "gtp:gnugo --mode gtp --chinese-rules --capture-all-dead".
        games: number of games; must be even.
        simulations: simulations per move, for players named without @N.
        seed: seed of the openings and of the players' random choices.
        out: new file for the games, one line of JSON per game. Each game is saved as soon as it
            ends, so it is kept even if the match stops early.
        sgf: (Go only) folder for the games. Each game is saved when it ends, as 0001.sgf, ….
        json: print only the result, as JSON.
    """
    if not json:
        announce(f"{a} against {b}, {games:,} games: loading …")

    from azlearn import arena
    from azlearn.arena.records import as_sgf
    from azlearn.atomic_io import atomic_write
    from azlearn.games.named import make_game

    with command_errors():
        rules = game and make_game(game)
        players = arena.find_players([a, b], rules, simulations, patience=patience)
        names = [player.name for player in players]
        played: list[arena.PlayedGame] = []
        if out:
            check_is_new(out, "--out")
        _prepare_folder(sgf, players[0].game)

        def done(game: arena.PlayedGame) -> None:
            played.append(game)
            if out:
                row = {"a": names[0], "b": names[1], **asdict(game)}
                with out.open("a", encoding="utf-8") as file:
                    print(json_format.dumps(row), file=file)
            if sgf:
                record = as_sgf(players[0].game, game, *names)
                atomic_write(sgf / f"{len(played):04}.sgf", record)

        def tell() -> None:
            _show_match(arena.Match.of(*names, played), json)
            if not json:
                print(
                    f"Stopped after {len(played):,} of {games:,} games. Short games finish"
                    " first, so this is not a fair sample."
                )

        with report_on_interrupt(played, tell):
            result = arena.play_match(*players, games, seed, progress=not json, done=done)
    _show_match(result, json)
    return 0


def _prepare_folder(sgf: Path | None, game: "RulesGame") -> None:
    """Creates the folder for Go games if it does not exist."""
    from azlearn.games import Go

    if sgf is None:
        return
    if not isinstance(game, Go):
        raise ValueError(f"--sgf is only for Go, but these players play {game.name}.")
    if sgf.is_dir() and any(sgf.glob("*.sgf")):
        raise ValueError(f"{sgf} already contains games. Choose another folder with --sgf.")
    sgf.mkdir(parents=True, exist_ok=True)


def _show_rows(rows: list[dict], is_solved: bool, as_json: bool) -> None:
    """Prints the measurements: against the solver, or in games against UCT."""
    if as_json:
        print(json_format.dumps(rows, indent=2))
        return
    if is_solved:
        title = "percentage of moves, with 95% intervals"
        counted, shares = {"positions": "n"}, ("value_preserving", "optimal_score")
        columns = ["player", "simulations", "positions", "value-preserving", "best score"]
    else:
        title = "score against UCT, with 95% intervals"
        counted, shares = {"against": "b", "games": "games"}, ("score",)
        columns = ["player", "simulations", "against", "games", "score"]
    cells = []
    for row in rows:
        figures = (row[name] for name in ("player", "simulations", *counted.values()))
        counts = (f"{cell:,}" if isinstance(cell, int) else cell for cell in figures)
        cells.append([*counts, *(_share(row, name) for name in shares)])
    show_table(title, columns, cells, words=["against"])
    for row in rows:
        _show_given_up(row)


def _show_given_up(row: dict) -> None:
    """Prints how many games were not played to the end, and the most common reasons."""
    for what, said in (("given_up", "Given up"), ("void", "Void (not counted)")):
        why = row.get(what, {})
        for remark in sorted(why, key=why.get, reverse=True)[:_MOST_REASONS]:
            print(f"{said} in {why[remark]:,} of the games: {remark}")
        if len(why) > _MOST_REASONS:
            print(f"{said} for {len(why) - _MOST_REASONS:,} less common reasons.")


def _show_match(match: "Match", as_json: bool) -> None:
    result = match.table()
    if as_json:
        print(json_format.dumps(result, indent=2))
        return
    counts = {
        "as first player": result["as_first"],
        "as second player": result["as_second"],
        "together": result,
    }
    show_table(
        f"{result['a']} against {result['b']}",
        ("", "won", "drawn", "lost"),
        (
            (who, *(f"{n[name]:,}" for name in ("wins", "draws", "losses")))
            for who, n in counts.items()
        ),
    )
    low, high = (_elo(bound) for bound in result["elo_interval"])
    print(
        f"score {_share(result, 'score')}; Elo difference {_elo(result['elo'])} [{low}, {high}];"
        f" {result['games']:,} games ({result['distinct_games']:,} distinct) from"
        f" {result['openings']:,} openings"
    )
    _show_given_up(result)


def _share(row: dict, name: str) -> str:
    low, high = row[f"{name}_interval"]
    return f"{row[name]:.1%}  [{low:.1%}, {high:.1%}]"


def _elo(difference: float | None) -> str:
    return "unbounded" if difference is None else number(difference, "+.0f")
