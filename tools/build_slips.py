"""Makes and tries every slip in the solutions, and stores its results in ``NAME.slips.json``.

    python tools/build_slips.py                # exercises that have changed
    python tools/build_slips.py 3.1 12.4       # these exercises
    python tools/build_slips.py --check        # exit status 1 if a file is older than its exercise
    python tools/build_slips.py --table        # counts from the stored files
    python tools/build_slips.py --passing 3.1  # the slips that pass every case, of these or of all

Each exercise is tried in its own process, because a slip may loop forever, use up all memory or end
the process. Such slips are left out: if a reader makes one, the check's own limits stop it.
"""

import argparse
import ast
import contextlib
import inspect
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutations import slips

from azlearn.course.exercises import EXERCISES, module_of
from azlearn.course.observation import Raised, quiet
from azlearn.course.slip_kinds import KINDS
from azlearn.course.slips import (
    Known,
    Slip,
    Tries,
    code_text,
    codes_of,
    path_of,
    written,
)

FEW = 24  # the number of drawn cases that are tried first, as candidates for the stored cases
GIVEN_UP = 5  # a slip that raises on this many cases, the first ones, is left out
MOST_LATE = 6  # the most other drawn cases that are tried with everything
MOST_CASES = 10  # the most drawn cases that are stored
PATIENCE = 90  # a process is killed after this many seconds without a result; others may be running
MEMORY = 1 << 30  # bytes of address space for a slip
RAISED = "raised"  # stands for the results of a slip that only raises
ALIKE = 3  # the most kinds that are stored for slips with the same results


class TooSlow(BaseException):
    """A slip has run for too long. Answers do not catch this exception."""


# --- one exercise, in a process of its own -------------------------------------------------------


def try_all(exercise_id: str, progress: Path) -> None:
    """Tries each slip, fault and pair, and appends the observations to the file ``progress``.

    All are first tried on the hand-worked cases and a few drawn ones. Those that show no difference
    there are tried on all other cases. A minimal set of the cases that distinguish them from the
    solution is then tried with all. Each attempt is noted before it starts: if it ends the process,
    the next process continues after it.
    """
    marking = EXERCISES[exercise_id].marking
    num_cases = len(marking.all_cases)
    first = range(min(num_cases, len(marking.cases) + FEW))
    began = time.process_time()
    marking.observed(marking.function(marking.solution))
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    limit = max(0.5, 5 * (time.process_time() - began))  # seconds of the processor
    sources, num_slips = _sources(marking), len([*slips(marking.solution)])
    rest = range(len(first), num_cases)
    with progress.open("ab") as file:

        def note(what) -> None:
            pickle.dump(what, file)
            file.flush()

        done = _done(progress)
        for number, source in enumerate(sources):
            if source and ("first", number) not in done:
                note(("first", number, None))
                codes = _tried(marking, source, first, limit, number < num_slips)
                if codes == {}:
                    codes = _tried(marking, source, rest, limit, False)
                note(("first", number, codes))
        done = _done(progress)
        late = _late(done, len(first))
        for (_, number), codes in done.items():
            if codes and codes != RAISED and ("late", number) not in done:
                note(("late", number, None))
                note(("late", number, _tried(marking, sources[number], late, limit, False)))


def _late(done: dict, num_first: int) -> list[int]:
    """``_late_of`` applied to the results of the first pass."""
    return _late_of(_ended(done), num_first)


def _ended(done: dict) -> dict[int, dict]:
    """The results on the first cases of the slips, faults and pairs that ran to the end."""
    return {
        number: codes
        for (which, number), codes in done.items()
        if which == "first" and isinstance(codes, dict)
    }


def _late_of(found: dict, num_first: int) -> list[int]:
    """Later cases that show differences the first cases do not, chosen greedily."""
    left = [{i for i, _ in codes} for codes in found.values() if codes]
    left = [cases for cases in left if min(cases) >= num_first]
    telling: list[int] = []
    while left and len(telling) < MOST_LATE:
        ((best, _),) = Counter(chain.from_iterable(left)).most_common(1)
        telling.append(best)
        left = [cases for cases in left if best not in cases]
    return sorted(telling)


def _sources(marking) -> list[str]:
    """The sources of all slips, sheet faults and pairs of faults; "" if one cannot be made."""
    return [*(slip.source for slip in slips(marking.solution)), *marking.wrong_sources.values()]


def _tried(marking, source: str, numbers, limit: float, is_slip: bool) -> dict | str | None:
    """Differences from the solution on these cases; RAISED if a slip only raises, None if none of
    these."""

    def stop(*_):
        raise TooSlow

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        with quiet():
            answer = marking.function(source)
            seen = {}
            for i in numbers:
                seen[i] = marking.look(answer, marking.all_cases[i])[0]
                if is_slip and len(seen) == GIVEN_UP and all(map(_is_raised, seen.values())):
                    return RAISED
            if is_slip and seen and all(map(_is_raised, seen.values())):
                return RAISED
            return codes_of(seen, marking.right.seen, numbers)
    except (Exception, TooSlow):
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _is_raised(seen: dict) -> bool:
    return isinstance(seen.get(""), Raised)


def _done(progress: Path) -> dict:
    """A dict from (pass, number) to codes."""
    found = {}
    with contextlib.suppress(EOFError, FileNotFoundError), progress.open("rb") as file:
        while True:
            which, number, codes = pickle.load(file)
            found[which, number] = codes
    return found


# --- all of them ---------------------------------------------------------------------------------


def tried(exercise_id: str) -> tuple[dict[int, dict], int]:
    """A dict from the number of a slip, fault or pair that ran to the end to its codes; how many
    others only raised."""
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "tried"
        command = [sys.executable, __file__, "--one", exercise_id, str(progress)]
        threads = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        while _run(command, os.environ | threads, progress):
            print(f"{exercise_id}: a slip ended its process", flush=True)
        done = _done(progress)
    late = {number: codes for (which, number), codes in done.items() if which == "late"}
    ended = {number: codes | (late.get(number) or {}) for number, codes in _ended(done).items()}
    return ended, [*done.values()].count(RAISED)


def _run(command: list[str], environment: dict, progress: Path) -> int:
    """Runs a process and returns its exit status; kills it if it writes nothing for too long."""
    process, began = subprocess.Popen(command, env=environment, cwd=progress.parent), time.time()
    while True:
        try:
            return process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            written_at = progress.stat().st_mtime if progress.exists() else 0
            if time.time() - max(began, written_at) > PATIENCE:
                process.kill()


def build(exercise_id: str) -> str:
    """Writes the file of an exercise; returns its id."""
    marking = EXERCISES[exercise_id].marking
    made, (found, num_raised) = [*slips(marking.solution)], tried(exercise_id)
    right, by_hand = marking.right.seen, len(marking.cases)
    # All other cases were tried with only some of the slips.
    tried_with_all = {*range(by_hand + FEW), *_late_of(found, by_hand + FEW)}
    all_codes = [
        {spot: code for spot, code in codes.items() if spot[0] in tried_with_all}
        for codes in found.values()
    ]
    numbers = (*range(by_hand), *_telling(all_codes, by_hand))
    groups = defaultdict(list)

    def shown(number: int) -> dict:
        return {s: c for s, c in found.get(number, {}).items() if s[0] in numbers}

    for number, slip in enumerate(made):
        if codes := shown(number):
            groups[tuple(sorted(codes.items()))].append(slip)
    wrong = {which: shown(len(made) + k) for k, which in enumerate(marking.wrong_sources)}
    pairs = {which: codes for which, codes in wrong.items() if isinstance(which, tuple) and codes}
    alone = [codes for which, codes in wrong.items() if not isinstance(which, tuple)]
    known = Known(
        numbers,
        tuple((_together(group), dict(codes)) for codes, group in groups.items()),
        tuple(enumerate(alone)),
        tuple((which, codes) for which, codes in pairs.items() if codes not in alone),
    )
    passing = [slip for number, slip in enumerate(made) if found.get(number) == {}]
    ended = sum(number < len(made) for number in found)
    tries = Tries(len(made), num_raised, ended, tuple(slip[:4] for slip in passing))
    text = written(known, right, sources_of(exercise_id), tries)
    _path(exercise_id).write_text(text, encoding="utf-8")
    return exercise_id


def _together(group: list) -> Slip:
    """Merges slips with the same results into one: their simplest kinds, the place of the first."""
    order = list(KINDS)
    ranked = sorted(group, key=lambda slip: (order.index(slip.kind), len(slip.after)))
    kinds = tuple(dict.fromkeys(slip.kind for slip in ranked))[:ALIKE]
    return Slip(kinds, *ranked[0][1:4])


def _telling(all_codes: list[dict], by_hand: int) -> list[int]:
    """The drawn cases that distinguish the most slips, chosen greedily."""
    groups = Counter(_part(codes, range(by_hand)) for codes in all_codes)
    told: list[int] = []
    candidates = sorted({i for codes in all_codes for i, _ in codes if i >= by_hand})
    while len(told) < MOST_CASES:
        sizes = {
            i: len({_part(codes, (*range(by_hand), *told, i)) for codes in all_codes})
            for i in candidates
            if i not in told
        }
        best = max(sizes, key=sizes.__getitem__, default=None)
        if best is None or sizes[best] <= len(groups):
            break
        told.append(best)
        groups = Counter(_part(c, (*range(by_hand), *told)) for c in all_codes)
    return sorted(told)


def _part(codes: dict, numbers) -> frozenset:
    among = set(numbers)
    return frozenset((spot, code) for spot, code in codes.items() if spot[0] in among)


def sources_of(exercise_id: str) -> str:
    """A hash of what an exercise's slips depend on: its solution, sheet, and modules."""
    module, marking = module_of(exercise_id), EXERCISES[exercise_id].marking
    own = Path(module.__file__)
    faults = [(fault.changes, fault.answer) for fault in marking.faults]
    shared = sorted(path for path in own.parents[1].glob("*/*.py") if _is_imported(path, own))
    parts = (own.read_text("utf-8"), *(path.read_text("utf-8") for path in shared))
    parts += (inspect.getsource(code_text), _MUTATIONS.read_text("utf-8"))
    texts = (marking.solution, *map(_without_comments, parts), repr(faults))
    return blake2b("\0".join(texts).encode(), digest_size=8).hexdigest()


def _is_imported(other: Path, module: Path) -> bool:
    """Whether an exercise's module imports another one, or from it."""
    chapter, source = f"azlearn.course.exercises.{other.parent.name}", module.read_text("utf-8")
    name = other.stem
    return f"from {chapter}.{name} import" in source or f"from {chapter} import {name}\n" in source


def _without_comments(source: str) -> str:
    """The code alone: better words are no reason to try all slips again."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


_MUTATIONS = Path(__file__).with_name("mutations.py")


def _path(exercise_id: str) -> Path:
    return path_of(module_of(exercise_id).__file__)


def stale() -> list[str]:
    """The exercises whose file of slips is missing or out of date."""
    found = []
    for exercise_id, exercise in EXERCISES.items():
        if exercise.marking is None:
            continue
        path = _path(exercise_id)
        text = path.read_text("utf-8") if path.exists() else "{}"
        if f'"sources": "{sources_of(exercise_id)}"' not in text:
            found.append(exercise_id)
    return found


def print_table(exercises: list[str]) -> None:
    """Prints the counts of the stored files, a row per exercise, and their totals.

    A count is "?" if the file was last built before that was counted; totals leave these out.
    """
    names = ("slips", "raise", "stopped", "ended", "pass every case", "results", "of several kinds")
    print("exercise", *names, sep=" | ")
    total: Counter[str] = Counter()
    for exercise_id in exercises:
        stored = json.loads(_path(exercise_id).read_text("utf-8"))
        row: dict[str, int] = {
            "slips": len([*slips(EXERCISES[exercise_id].marking.solution)]),
            "results": len(stored["slips"]),
            "of several kinds": sum(len(kinds) > 1 for kinds, *_ in stored["slips"]),
        }
        if "passing" in stored:
            row["pass every case"] = len(stored["passing"])
        if "ended" in stored:
            row["raise"], row["ended"] = stored["raised"], stored["ended"]
            row["stopped"] = row["slips"] - row["raise"] - row["ended"]
        print(exercise_id, *(row.get(name, "?") for name in names), sep=" | ")
        total.update(row)
    print(f"{len(exercises)} exercises", *(total[name] for name in names), sep=" | ")


def print_passing(exercises: list[str]) -> None:
    """Prints the slips that pass every case: exercise, kind, line, what stands there and what
    would."""
    for exercise_id in exercises:
        for slip in json.loads(_path(exercise_id).read_text("utf-8")).get("passing", ()):
            print(exercise_id, *slip, sep=" | ")


def main() -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--passing", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        try_all(given.one[0], Path(given.one[1]))
        return 0
    marked = [i for i, exercise in EXERCISES.items() if exercise.marking is not None]
    if given.table or given.passing:
        (print_table if given.table else print_passing)(given.exercises or marked)
        return 0
    if given.check:
        old = [one for one in stale() if one in (given.exercises or marked)]
        print(f"exercises with out-of-date slips: {', '.join(old) or 'none'}")
        return bool(old)
    wanted = given.exercises or stale()
    with ThreadPoolExecutor(given.jobs) as pool:
        built = [*pool.map(build, wanted)]
    print_table(built)
    return 0


if __name__ == "__main__":
    sys.exit(main())
