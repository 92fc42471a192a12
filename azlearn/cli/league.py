"""`azlearn league`: the players that students hand in, each against every other."""

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import announce, command_errors, show_table
from azlearn.cli.review import SIMULATIONS

if TYPE_CHECKING:
    from azlearn.arena import Match
    from azlearn.games.rules_game import RulesGame

REVIEWED = 3  # games per player in which the solver looks for the worst moves


def league(
    folder: Annotated[Positional[Path], arg(metavar="FOLDER")],
    game: Annotated[str, arg(metavar="GAME")] = "connect4",
    games: Annotated[int, arg(metavar="N")] = 8,
    simulations: Annotated[int, arg(metavar="N")] = 100,
    seconds: Annotated[float, arg(metavar="S")] = 2.0,
    minutes: Annotated[float | None, arg(metavar="M")] = None,
    seed: int = 0,
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("league"),
) -> int:
    """Play every agent in a folder against every other, and write a page with the table.

    Run the same command again to resume. Press Ctrl-C to stop early and see the table so far.

    Args:
        folder: the agents: run folders, .safetensors files, and Python files that define
            `choose(state, rng)`. A Python file runs in a process of its own with limits.
        game: the game that all of them play.
        games: games per pair; must be even. Each opening is played twice, with colors swapped.
        simulations: simulations per move, for networks.
        seconds: time limit per move, for Python files.
        minutes: stop after this time. All pairs have then played about equally often.
        seed: seed of the openings and of the players' random choices.
        out: folder for the games and the pages. Use one per game and seed.
    """
    announce(f"League in {folder}: loading …")

    from azlearn import arena
    from azlearn.arena import agents
    from azlearn.games.named import make_game
    from azlearn.progress_bar import shown
    from azlearn.sandbox import Limits, warn_if_open

    with command_errors():
        rules = make_game(game)
        players, skipped = agents.find_agents(folder, game, simulations, Limits(seconds))
        for sentence in skipped:
            print(f"Not in the league: {sentence}")
        if warning := warn_if_open():
            print(warning)
        out.mkdir(parents=True, exist_ok=True)
        file = out / "games.jsonl"
        try:
            with shown(True, "league") as report:
                arena.play_league(players, file, games, seed, minutes, report)
        except KeyboardInterrupt:
            print("Stopped. Run the same command again to resume.")
        finally:
            for player in players:
                if isinstance(player, agents.AgentPlayer):
                    player.close()
        matches = arena.matches_of(file, [player.name for player in players])
        if not matches:
            raise ValueError("No game has ended, so there is no table. Allow more --minutes.")
        table = _table(matches)
        _write_page(rules, matches, table, skipped, out)
    rows = [
        (row["player"], f"{row['elo']:+.0f}", f"{row['score']:.1%}", row["games"]) for row in table
    ]
    show_table("league", ("player", "Elo", "score", "games"), rows)
    for remark, count in _given_up(matches).most_common():
        print(f"{count} games: {remark}")
    print(f"Open {out / 'index.html'} in any browser.")
    return 0


def _table(matches: list["Match"]) -> list[dict]:
    from azlearn.arena import Tournament

    names = dict.fromkeys(name for match in matches for name in (match.a, match.b))
    return Tournament(tuple(names), tuple(matches)).table()["ratings"]


def _given_up(matches: list["Match"]) -> Counter:
    return Counter(game.remark for match in matches for game in match.games if game.remark)


def _write_page(
    game: "RulesGame", matches: list["Match"], ratings: list[dict], skipped: list[str], out: Path
) -> None:
    from azlearn.atomic_io import atomic_write
    from azlearn.viz.report import render

    score = {(match.a, match.b): match.score for match in matches}
    score |= {(match.b, match.a): 1 - match.score for match in matches}
    names = [row["player"] for row in ratings]
    template = files("azlearn.cli").joinpath("league_page.html").read_text(encoding="utf-8")
    page = render(
        template,
        title="League",
        game=game.name,
        games=sum(len(match.games) for match in matches),
        ratings=ratings,
        cross=[(a, [score.get((a, b)) for b in names]) for a in names],
        remarks=_given_up(matches).most_common(),
        worst=[
            (name, moves)
            for k, name in enumerate(names, 1)
            if (moves := _worst(game, matches, name, k, out))
        ],
        reviewed=REVIEWED,
        skipped=skipped,
    )
    atomic_write(out / "index.html", page)


def _worst(
    game: "RulesGame", matches: list["Match"], name: str, number: int, out: Path
) -> list[dict]:
    """A player's worst moves in its first lost games, each with a page to explore.

    The list is empty if the game has no solver. The pages' names contain the player's ``number``,
    because two names may differ only in characters that file names cannot have.
    """
    from azlearn import viz
    from azlearn.games.notation import read_moves
    from azlearn.games.solver import move_scores

    try:
        move_scores(game, game.initial_state())
    except (ImportError, ValueError):
        return []
    found = []
    for moves, opening, side in _lost(matches, name)[:REVIEWED]:
        first = len(read_moves(game, opening)[0])
        reviewed = viz.review_game(game, moves)
        found += [(move, moves) for move in reviewed.worst(3, side, first)]
    found.sort(key=lambda pair: -pair[0].loss)
    rows = []
    for k, (move, moves) in enumerate(found[:3], 1):
        page = f"explorer/{number}-{k}.html"
        (out / page).parent.mkdir(exist_ok=True)
        actions = read_moves(game, moves)[0][: move.ply]
        viz.explore(game, actions, num_simulations=SIMULATIONS).to_html(out / page)
        rows.append({"text": move.text, "page": page, "game": moves})
    return rows


def _lost(matches: list["Match"], name: str) -> list[tuple[str, str, int]]:
    """The games that a player lost, as (moves, opening, its side)."""
    found = []
    for match in matches:
        for game in match.games:
            is_a = name == match.a
            if name in (match.a, match.b) and game.score == (0 if is_a else 1):
                found.append((game.moves, game.opening, 0 if is_a == game.a_first else 1))
    return found
