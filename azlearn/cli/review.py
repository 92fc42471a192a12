"""`azlearn review`: the worst moves of a game, each with a page that explores its position."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from azlearn.atomic_io import atomic_write
from azlearn.cli.output import Count, Game, announce, command_errors, show_table
from azlearn.cli.play import default_player

if TYPE_CHECKING:
    from azlearn.games.rules_game import RulesGame
    from azlearn.viz.game_review import GameReview, JudgedMove

SIMULATIONS = 400  # of the searches to explore


def review(
    moves: Annotated[Positional[str], arg(metavar="MOVES")],
    game: Game = None,
    player: Annotated[str | None, arg(metavar="PLAYER")] = None,
    simulations: Count = None,
    seed: int = 0,
    worst: Annotated[int, arg(metavar="N")] = 3,
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("review"),
) -> int:
    """Find the worst moves of a game, and write pages to explore their positions.

    The judge is the game's solver if there is one (Connect Four, tic-tac-toe, and other small
    games), or else a search of every position.

    Args:
        moves: the game, in its notation, such as 44443 or "d3 c3"; or the path of a Go game in SGF.
        player: who searches if there is no solver, as in `azlearn evaluate`. If not given: the
            network that ships with the game, or uct.
        simulations: simulations per position.
        seed: seed of the search.
        worst: how many moves to show.
        out: new folder for index.html and a page for each of these moves.
    """
    announce("Reviewing the game …")

    from azlearn import arena, viz
    from azlearn.games.named import make_game
    from azlearn.games.notation import from_file, is_record

    with command_errors():
        if out.exists():
            raise ValueError(f"{out} already exists. Choose another folder with --out.")
        line, rules = from_file(moves), game and make_game(game)
        if is_record(line) and not rules:
            from azlearn.games.go.records import from_sgf  # imports sgfmill, which is rarely needed

            rules, line = from_sgf(line)
        judge = arena.make_player(player or default_player(rules), rules, simulations)
        found = viz.review_game(judge.game, line, judge, seed)
        network = judge if isinstance(judge, arena.PUCTPlayer) else None
        write_pages(judge.game, line, found, found.worst(worst), out, network)
    shown = [(move.text, f"{move.loss:.2f}") for move in found.worst(worst)]
    show_table(f"judged by {found.judge}", ("move", "loss"), shown)
    print(f"Open {out / 'index.html'} in any browser.")
    return 0


def write_pages(
    game: "RulesGame",
    line,
    found: "GameReview",
    moves: list["JudgedMove"],
    folder: Path,
    network,
) -> None:
    """Writes the page of a game, and an explorer for each of these moves.

    Args:
        network: the player that searches in the explorers; None: UCT.
    """
    from azlearn import viz
    from azlearn.games.notation import read_moves
    from azlearn.viz.report import render

    folder.mkdir(parents=True)
    actions, states = read_moves(game, line)
    rows = []
    for move in moves:
        name = f"move-{move.ply + 1}.html"
        searched = viz.explore(
            game, actions[: move.ply], evaluate=network, num_simulations=SIMULATIONS
        )
        searched.to_html(folder / name)
        board = viz.show_board(game, states[move.ply], alt=f"the position before {move.text}")
        rows.append({"text": move.text, "page": name, "board": board.html()})
    template = files("azlearn.cli").joinpath("review_page.html").read_text(encoding="utf-8")
    page = render(template, title="A game reviewed", chart=chart(found).html(), moves=rows)
    atomic_write(folder / "index.html", page)


def chart(found: "GameReview"):
    """The value of every position, as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from azlearn.viz import plots
    from azlearn.viz.colors import LIGHT as COLOR
    from azlearn.viz.formatting import signed

    plots.use_style()
    fig, ax = plt.subplots(figsize=(7, 2.2))
    ax.plot(found.values, "o-", ms=3, color=COLOR["N"])
    bad = [move.ply for move in found.worst()]
    ax.plot(bad, [found.values[ply] for ply in bad], "o", ms=8, color=COLOR["U"])
    ax.axhline(0, lw=1, color=COLOR["N"], alpha=0.4)
    ax.set(ylim=(-1.1, 1.1), xlabel="moves", ylabel="value")
    values = ", ".join(map(signed, found.values))
    alt = f"The value for the first player after each move, judged by {found.judge}: {values}."
    return plots.figure(
        fig, alt, f"The value for the first player, judged by {found.judge}.", dpi=None
    )
