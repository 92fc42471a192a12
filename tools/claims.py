"""Lists the claims of the chapters, and checks what each of them rests on.

``tools/claims.py list`` prints ``notebooks/claims.toml`` as a table and marks what a claim lacks;
``list 04`` prints one chapter. ``tools/claims.py check`` reads the stored outputs and data again,
runs the commands that take up to two minutes and says which claims still hold.
``tools/claims.py solve 44443`` prints what the solver says of a Connect Four position.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from azlearn.games.named import make_game
from azlearn.games.solver import move_scores
from azlearn.intervals import wilson_interval

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "notebooks" / "claims.toml"
CHEAP = 2  # minutes; `check` leaves out a command that takes longer
NUMBER = r"[-+−±]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"


class Told(float):
    """A number that knows its last decimal: of 0.50 it is 0.01, of 5.9e6 it is 1e5."""

    def __init__(self, text: str):
        self.last = 10.0 ** int(Decimal(text).as_tuple().exponent)


@cache
def claims(which: str = "") -> list[dict[str, Any]]:
    """The claims of one chapter, or all, in the order of the file."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"), parse_float=Told)["claim"]
    return [claim for claim in found if which in ("", claim["chapter"])]


def plain(text: str) -> str:
    """The text with every run of blanks and line ends as one blank."""
    return " ".join(text.split())


@cache
def chapter(number: str) -> tuple[str, str]:
    """(source, outputs) of a chapter; every output is one line, with one blank between words."""
    (path,) = ROOT.glob(f"notebooks/{number}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = []
    for cell in cells:
        for output in cell.get("outputs", ()):
            kinds = output.get("data", {})
            for text in (output.get("text"), kinds.get("text/plain"), kinds.get("text/markdown")):
                outputs.append(plain("".join(text or "")))
    return plain(" ".join("".join(cell["source"]) for cell in cells)), "\n".join(outputs)


def number(text: str) -> float:
    """A number as it is printed: 1,200 or −0.5 (± counts as +)."""
    return float(text.replace(",", "").replace("−", "-").replace("±", ""))


def flat(found: Any) -> list[float]:
    """All numbers of a number, a tuple or a list of them, in order."""
    if hasattr(found, "__iter__"):
        return [x for one in found for x in flat(one)]
    return [found if isinstance(found, float) else float(found)]


def captured(patterns: str | list[str], text: str) -> list[float]:
    """The numbers at each ``{}`` of the patterns; ``…`` stands for anything within one output.

    Raises:
        ValueError: a pattern is not in the text.
    """
    found = []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        words = re.escape(re.sub(r"\s+", " ", pattern)).replace(re.escape("{}"), f"({NUMBER})")
        match = re.search(re.sub(r"(\\ )?…(\\ )?", ".*?", words), text)
        if match is None:
            raise ValueError(f"No output has “{pattern}”.")
        found += map(number, match.groups())
    return found


@cache
def stored(name: str) -> Any:
    """The content of a JSON file, or of a file with one JSON value per line."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text)


def evaluated(expression: str, **names: Any) -> Any:
    """The value of an expression of the file, which may use a few functions."""
    return eval(expression, {"mean": fmean, "about": about, "share": share, **names})


def about(found: float, said: float) -> bool:
    """True if the two differ by at most 15%."""
    return abs(found - said) <= 0.15 * abs(said)


def share(percent: float, n: int) -> tuple[float, ...]:
    """A share of n observations in percent, and its Wilson interval."""
    return percent, *(100 * bound for bound in wilson_interval(round(percent * n / 100), n))


def observed(claim: dict[str, Any]) -> list[float]:
    """What the outputs, the data or the command of a claim give today.

    Raises:
        ValueError: an output lacks a pattern, or the command fails.
    """
    data = claim.get("data")
    if claim["source"] == "stored":
        d = stored(data) if isinstance(data, str) else [stored(name) for name in data]
        return flat(evaluated(claim["expression"], d=d))
    text = chapter(claim["chapter"])[1]
    if claim["source"] == "run":
        command = [sys.executable, *shlex.split(claim["command"])[1:]]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"{claim['command']} failed: {done.stderr.strip()[-200:]}")
        text = plain(done.stdout)
    x = captured(data, text)
    return flat(evaluated(claim["expression"], x=x)) if "expression" in claim else x


def same(found: float, told: float) -> bool:
    """True if both are equal with as many decimals as ``told`` has in the file."""
    return abs(found - told) <= 0.5 * getattr(told, "last", 1.0) + 1e-9 * abs(told)


def verdict(claim: dict[str, Any], found: list[float]) -> str:
    """``equal``, ``as it says``, ``within its interval``, or a text that begins with ``NOT``."""
    if "value" not in claim:
        return "equal" if all(found) else "NOT true"
    told, ends = flat(claim["value"]), flat(claim.get("interval", ()))
    bounds = list(zip(ends[::2], ends[1::2], strict=True))
    with_bounds = [x for v, pair in zip(told, bounds, strict=False) for x in (v, *pair)]
    if len(found) not in (len(told), len(with_bounds)):
        return f"NOT comparable: {len(found)} numbers found, {len(told)} expected"
    whole = told if len(found) == len(told) else with_bounds
    new = found[:: len(whole) // len(told)]
    holds = evaluated(
        claim.get("says", "True"), v=new if isinstance(claim["value"], list) else new[0]
    )
    if not holds:
        return f"NOT as it says: {claim['says']} for {', '.join(f'{x:g}' for x in new)}"
    if all(map(same, found, whole)):
        return "equal"
    if "hardware" in claim and "says" in claim:
        return "as it says, on this machine"
    inside = [low <= x <= high for x, (low, high) in zip(new, bounds, strict=False)]
    if len(inside) == len(told) and all(inside):
        return "within its interval"
    return f"NOT equal: {', '.join(f'{x:g}' for x in found)}"


def lacks(claim: dict[str, Any]) -> list[str]:
    """What a referee would miss: a run, an interval, five seeds, another value of a constant."""
    if "source" not in claim:
        return ["run"]
    missing = ["constant"] if "constants" in claim and "other" not in claim else []
    if claim.get("exact"):
        return missing
    if claim.get("seeds", 0) < 5:
        missing.insert(0, f"seeds ({claim.get('seeds', '?')})")
    return ["interval", *missing] if "value" in claim and "interval" not in claim else missing


def list_claims(which: str, console: Console) -> None:
    """Prints the claims of one chapter, or of all, with what each lacks; below, their doubts."""
    names = ("value", "95%", "n", "seeds", "source", "lacks")
    table = Table(Column("claim", no_wrap=True), *names)
    chosen = claims(which)
    for claim in chosen:
        fields = (flat(claim.get(name, ())) for name in ("value", "interval", "n", "seeds"))
        numbers = (" ".join(f"{x:.10g}" for x in found) for found in fields)
        source = claim.get("source", "none") + (", exact" if claim.get("exact") else "")
        mark = "? " if "doubt" in claim else ""
        table.add_row(mark + claim["id"], *numbers, source, ", ".join(lacks(claim)))
    console.print(table)
    doubts = [f"? {claim['id']}: {claim['doubt']}" for claim in chosen if "doubt" in claim]
    console.print(*doubts, sep="\n", markup=False, highlight=False)
    counts = Counter(part.split(" ")[0] for claim in chosen for part in lacks(claim))
    told = ", ".join(f"{name} {n}" for name, n in counts.most_common())
    console.print(f"{len(chosen)} claims, {len(doubts)} in doubt; missing: {told or 'nothing'}")


def check(which: str, console: Console) -> int:
    """Compares every claim with its outputs, data or command; gives the number of failures."""
    verdicts = Counter()
    for claim in claims(which):
        if "source" not in claim:
            found = "no run behind it"
        elif claim["source"] == "run" and not 0 <= claim.get("minutes", -1) <= CHEAP:
            found = "takes too long, not run"
        else:
            try:
                found = verdict(claim, observed(claim))
            except ValueError as error:
                found = f"NOT shown: {error}"
        verdicts[found.partition(":")[0]] += 1
        if found.startswith("NOT") or claim.get("source") == "run":
            console.print(f"{claim['id']:34} {found}", markup=False, highlight=False)
    for found, times in verdicts.most_common():
        console.print(f"{times:4} {found}", markup=False, highlight=False)
    return sum(times for found, times in verdicts.items() if found.startswith("NOT"))


def solve(moves: str, named: str) -> None:
    """Prints which moves win, draw and lose, by the solver (it also solves small games)."""
    game = make_game(named)
    scores = enumerate(move_scores(game, game.from_moves(moves)))
    signs = {game.action_label(a): (x > 0) - (x < 0) for a, x in scores if x is not None}
    for word, sign in (("wins", 1), ("draws", 0), ("loses", -1)):
        print(f"{word}:", *(label for label, found in signs.items() if found == sign))


def main(arguments: list[str] | None = None) -> int:
    """Runs one of the commands; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("do", choices=("list", "check", "solve"))
    parser.add_argument("which", nargs="?", default="", help="a chapter, or the moves to solve")
    parser.add_argument("--game", default="connect4", help="the game to solve")
    told, console = parser.parse_args(arguments), Console(soft_wrap=True)
    if told.do != "solve":
        told.which = told.which and told.which.zfill(2)
        if not claims(told.which):
            parser.error(f"Chapter {told.which} has no claims.")
    if told.do == "solve":
        solve(told.which, told.game)
    elif told.do == "list":
        list_claims(told.which, console)
    return int(told.do == "check" and check(told.which, console) > 0)


if __name__ == "__main__":
    sys.exit(main())
