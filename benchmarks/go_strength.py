"""Measures the strength of a Go network against random play, UCT and GNU Go.

``python benchmarks/go_strength.py go5 --out runs/go5_strength`` plays 200 games per pair of
players: 100 different openings, each twice with colors swapped. It also plays 20 games without komi
from the empty board with the network as Black (20 more as White are not counted). Games are saved
after every 40 games, or as set by ``--at-once``. After Ctrl-C or a crash, run the same command
again to continue; a larger ``--games`` adds games. At the end it prints two Markdown tables with
95% intervals.

GNU Go (``apt install gnugo``) plays by Chinese rules, never resigns, and captures all dead stones,
because azlearn does not remove them.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from tqdm.auto import tqdm

from azlearn.arena import Match, PlayedGame, Player, PUCTPlayer, play_match, random_openings
from azlearn.arena.player_specs import make_player
from azlearn.games import Go
from azlearn.intervals import wilson_interval
from azlearn.learning import LoadedNetwork, NetworkEvaluator, load_network

GNUGO = "gtp:gnugo --mode gtp --level {} --chinese-rules --capture-all-dead --never-resign"
OPPONENTS = {
    "random": "random",
    "uct1000": "uct@1000",
    "gnugo1": GNUGO.format(1),
    "gnugo10": GNUGO.format(10),
    "uct10000": "uct@10000",
}
TITLES = {
    "random": "random play",
    "uct1000": "UCT, 1,000 rollouts",
    "gnugo1": "GNU Go, level 1",
    "gnugo10": "GNU Go, level 10",
    "uct10000": "UCT, 10,000 rollouts",
}
CACHE_BITS = 18  # log2 of the evaluations that a player caches between moves


def main() -> None:
    """Plays the missing games, the cheapest pairs first, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", help="a shipped network, a run's folder or a .safetensors file")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the games")
    parser.add_argument("--simulations", type=int, nargs="+", default=[200, 800])
    parser.add_argument("--opponents", nargs="+", choices=OPPONENTS, default=[*OPPONENTS])
    parser.add_argument("--games", type=int, default=200, help="games per pair")
    parser.add_argument(
        "--at-once", type=int, default=40,
        help="games in parallel; a crash loses only games in progress",
    )  # fmt: skip
    parser.add_argument("--black-games", type=int, default=20, help="games per pair without komi")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", action="store_true", help="play nothing, print the tables")
    given = parser.parse_args()
    for name in ("games", "at_once"):
        if (number := getattr(given, name)) < 2 or number % 2:
            parser.error(f"--{name.replace('_', '-')} must be even and at least 2, not {number}.")
    loaded = load_network(given.network)
    given.out.mkdir(parents=True, exist_ok=True)
    pairs = [(n, name) for n in given.simulations for name in given.opponents]
    if not given.report:
        openings = random_openings(loaded.game, given.games // 2, 4, given.seed)
        for simulations, name in pairs:
            files = (given.out / f"{kind}{simulations}-{name}.jsonl" for kind in ("", "black-"))
            player = _player(loaded, given.network, simulations)
            _play(next(files), player, name, openings, given.seed, given.at_once)
            player = _player(loaded, given.network, simulations, komi=0)
            _play(next(files), player, name, [""] * given.black_games, given.seed, given.at_once)
    print(*_table(given.out, pairs), "", *_without_komi(given.out, pairs), "", sep="\n")
    print(*_first_moves(loaded, given.network, given.simulations), sep="\n")


def _player(
    loaded: LoadedNetwork, name: str, simulations: int, komi: float | None = None
) -> PUCTPlayer:
    """The network's player; a network does not see komi, so it can play with another komi."""
    game = loaded.game if komi is None else replace(loaded.game, komi=komi)
    evaluator = NetworkEvaluator(game, loaded.network)
    return PUCTPlayer(game, evaluator, simulations, label=name, cache_bits=CACHE_BITS)


def _play(
    path: Path, player: Player, name: str, openings: list[str], seed: int, at_once: int
) -> None:
    """Plays the games of a pair that are not in ``path`` yet, two per opening."""
    known, other = _read(path), make_player(OPPONENTS[name], player.game)
    names = {"a": player.name, "b": other.name, "seed": seed}
    if known and known[0] != names:
        raise SystemExit(f"{path} has games of {known[0]}. Choose another folder with --out.")
    half, openings_played = at_once // 2, max(len(known) - 1, 0) // 2
    missing = range(openings_played, len(openings), half)
    for first in tqdm(missing, desc=f"{player.name} – {TITLES[name]}", unit=f" × {at_once} games"):
        here = openings[first : first + half]
        part = 1000 * seed + first // half
        match = play_match(player, other, 2 * len(here), seed=part, openings=here)
        rows = [] if path.exists() else [names]
        rows += [asdict(game) for game in match.games]
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))


def _read(path: Path) -> list[dict]:
    """The rows of a file: the players and the seed first, then the games."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _match(path: Path) -> Match | None:
    names, *games = _read(path) or [None]
    if not names or not games:
        return None
    return Match(names["a"], names["b"], tuple(PlayedGame(**game) for game in games))


def _table(folder: Path, pairs: list[tuple[int, str]]) -> Iterator[str]:
    """The table of scores over many openings."""
    yield "| simulations | against | score, % | as Black | as White | games, distinct |"
    yield "|---|---|---|---|---|---|"
    for simulations, name in pairs:
        if match := _match(folder / f"{simulations}-{name}.jsonl"):
            table = match.table()
            low, high = table["score_interval"]
            won = [f"{table[side]['wins']}" for side in ("as_first", "as_second")]
            games = [len(match.games) // 2] * 2
            black, white = (f"{n} of {all}" for n, all in zip(won, games, strict=True))
            yield (
                f"| {simulations} | {TITLES[name]} | {_percent(table['score'], low, high)}"
                f" | {black} | {white} | {table['games']}, {table['distinct_games']} |"
            )


def _without_komi(folder: Path, pairs: list[tuple[int, str]]) -> Iterator[str]:
    """The table of games from the empty board as Black; identical games count once."""
    yield "| as Black, without komi | against | not lost, % | won, drawn, lost | played |"
    yield "|---|---|---|---|---|"
    for simulations, name in pairs:
        if match := _match(folder / f"black-{simulations}-{name}.jsonl"):
            played = [game for game in match.games if game.a_first]
            games = list({game.moves: game for game in played}.values())
            counts = [[game.score for game in games].count(score) for score in (1, 0.5, 0)]
            kept = sum(counts[:2])
            share = _percent(kept / len(games), *wilson_interval(kept, len(games)))
            yield (
                f"| {simulations} | {TITLES[name]} | {share}"
                f" | {', '.join(map(str, counts))} | {len(played)} |"
            )


def _first_moves(loaded: LoadedNetwork, name: str, simulations: list[int]) -> Iterator[str]:
    """The network's first move on the empty board, and how sure it is."""
    game: Go = loaded.game
    found = NetworkEvaluator(game, loaded.network)(game, game.initial_state(), None)
    best = max(range(game.num_actions), key=lambda action: found.prior[action])
    label, p = game.action_label(best), found.prior[best]
    yield f"Empty board: {name} without search {label} (p {p:.2f}, v {found.value:+.2f})."
    for n in simulations:
        player = _player(loaded, name, n)
        player.choose(game.initial_state(), None)
        root = player.last_tree.root
        best = player.last_tree.best_action()
        share = root.visit_counts[best] / sum(root.visit_counts)
        yield f"With {n} simulations: {game.action_label(best)}, {share:.0%} of the visits."


def _percent(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


if __name__ == "__main__":
    main()
