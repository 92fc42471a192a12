"""Checks the answers in one student's notebook, in a process of its own (see ``processes``).

It reads one line of JSON and writes one per event: a ``step`` before each piece of the student's
code that it runs, a ``result`` after each check, and ``done`` at the end. If a step hangs or kills
the process, the caller starts another process that skips it.

Only the statements that the checked functions need are run, not cells that plot or measure.
"""

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from azlearn.sandbox import enter

_NOT_RUN = (ast.Expr, ast.For, ast.AsyncFor, ast.While, ast.Delete, ast.Return, ast.Raise)
_OWN_NAMES = ("check", "hint", "solution", "progress")
_PRIVATE = "azlearn.course."


class Step(NamedTuple):
    """A statement to run, or a check: its exercise, and the expression for the answer."""

    cell: int
    node: ast.stmt | ast.expr
    exercise: str = ""


def main() -> None:
    """Runs the steps that the process which started this one asks for."""
    asked, report = enter()
    wanted = json.loads(asked.readline())

    def tell(**line: Any) -> None:
        print(json.dumps(line), file=report)

    grade(wanted["cells"], wanted["seed"], frozenset(wanted["skip"]), tell)
    tell(done=True)


def grade(cells: list[str], seed: int, skip: frozenset[int], tell) -> None:
    """Runs all steps except those in ``skip``.

    Args:
        cells: the source of each code cell.
        seed: of the hidden cases.
        tell: called with what becomes of each step.
    """
    from azlearn import course
    from azlearn.course.exercises import EXERCISES

    steps, problems = read_steps(cells)
    for problem in problems:
        tell(remark=problem)
    for exercise in dict.fromkeys(step.exercise for step in steps if step.exercise):
        if exercise not in EXERCISES:
            tell(remark=f"There is no exercise {exercise!r:.20} in this version of the course.")
    for name in _OWN_NAMES:  # a notebook that is graded records nothing and reads no solutions
        setattr(course, name, _unavailable)
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    for number, step in enumerate(steps):
        if number in skip or (step.exercise and step.exercise not in EXERCISES):
            continue
        tell(step=number, cell=step.cell, exercise=step.exercise)
        if step.exercise:
            tell(result=step.exercise, **_result(step, names, seed, problems))
        elif problem := _run(step.node, names):
            problems.append(f"Cell {step.cell} raised {problem}")


def _unavailable(*_: Any, **__: Any) -> None:
    raise RuntimeError("This function is not available in a submission.")


def _run(node: ast.stmt, names: dict[str, Any]) -> str:
    """Runs one statement; returns the error in words, or ""."""
    try:
        exec(compile(ast.Module([node], []), "<submission>", "exec"), names)
    except BaseException as problem:  # even SystemExit
        return f"{type(problem).__name__}: {problem!s:.200}"
    return ""


def _result(step: Step, names: dict[str, Any], seed: int, problems: list[str]) -> dict[str, Any]:
    """The verdict on one answer, as a part of a ``course.results.Result``."""
    from azlearn.course.checking import run_check
    from azlearn.course.exercises import EXERCISES
    from azlearn.course.results import Result

    exercise = replace(EXERCISES[step.exercise], explore=None)
    try:
        answer = eval(compile(ast.Expression(step.node), "<submission>", "eval"), names)
    except BaseException as problem:
        words = f"The answer is missing: {type(problem).__name__}: {problem!s:.200}."
        result = Result(exercise.id, "", "error", message=" ".join([words, *problems[-2:]]))
        return _as_json(result)
    result, marking = run_check(exercise, answer), exercise.marking
    if result.is_right and marking and marking.draw:
        again = run_check(replace(exercise, marking=marking.with_seed(seed)), answer)
        if not again.is_right:
            said = f"Right on the cases of the course, but not on hidden ones. {again.message}"
            result = replace(again, message=said)
    return _as_json(result)


def _as_json(result: Any) -> dict[str, Any]:
    return {
        "outcome": result.outcome,
        "diagnosis": result.diagnosis,
        "message": result.message,
        "code": result.code,
        "rows": [[row.label, row.right, row.yours] for row in result.rows],
    }


# --- which statements are needed -----------------------------------------------------------------


def read_steps(cells: list[str]) -> tuple[list[Step], list[str]]:
    """Returns the checks and the statements they need, in order, and a line per unreadable cell."""
    from IPython.core.inputtransformer2 import TransformerManager

    found: list[Step] = []
    problems = []
    for number, source in enumerate(cells, 1):
        try:
            parsed = ast.parse(TransformerManager().transform_cell(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            problems.append(f"Cell {number} could not be read: {type(problem).__name__}: {problem}")
            continue
        for node in parsed.body:
            if check := _as_check(node):
                found.append(Step(number, check.args[1], str(ast.literal_eval(check.args[0]))))
            elif private := _private_imports(node):
                names = ", ".join(sorted(private))
                problems.append(f"Cell {number} imports {names}, which is not allowed here.")
            elif not isinstance(node, _NOT_RUN):
                found.append(Step(number, node))
    last = {step.exercise: place for place, step in enumerate(found) if step.exercise}
    found = [s for i, s in enumerate(found) if not s.exercise or last[s.exercise] == i]
    needed = _needed(found)
    return [s for s in found if s.exercise or _is_needed(s.node, needed)], problems


def _as_check(node: ast.stmt) -> ast.Call | None:
    """The call ``check("3.3", answer)`` in a statement, also in ``result = check(…)``."""
    call = getattr(node, "value", None)
    is_check = (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "check"
        and len(call.args) == 2
        and isinstance(call.args[0], ast.Constant)
    )
    return call if is_check else None


def _needed(steps: list[Step]) -> set[str]:
    """The names that the answers use, directly or through what defines them."""
    needed = {name for step in steps if step.exercise for name in _loaded(step.node)}
    size = -1
    while size < len(needed):
        size = len(needed)
        for step in steps:
            if not step.exercise and _is_needed(step.node, needed):
                needed |= _loaded(step.node)
    return needed


def _is_needed(node: ast.AST, needed: set[str]) -> bool:
    return bool(_defined(node) & (needed | {"*"}))


def _loaded(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _defined(node: ast.AST) -> set[str]:
    """The names that a statement defines or changes."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    return {name for part in ast.walk(node) for name in _names_of(part)}


def _names_of(part: ast.AST) -> Iterator[str]:
    if isinstance(part, ast.alias):
        yield (part.asname or part.name).partition(".")[0]
    elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield part.name
    elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
        yield part.id
    elif isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store):
        yield from (name.id for name in ast.walk(part) if isinstance(name, ast.Name))


def _private_imports(node: ast.AST) -> set[str]:
    """The modules of the course that a statement imports and the course's notebooks do not."""
    return _imported(node) - _allowed()


@cache
def _allowed() -> set[str]:
    from azlearn.course.solutions import all_imports

    return _imported(ast.parse(all_imports()))


def _imported(node: ast.AST) -> set[str]:
    parts = [*ast.walk(node)]
    found = {alias.name for part in parts if isinstance(part, ast.Import) for alias in part.names}
    found |= {part.module or "" for part in parts if isinstance(part, ast.ImportFrom)}
    return {name for name in found if name.startswith(_PRIVATE)}


if __name__ == "__main__":
    main()
