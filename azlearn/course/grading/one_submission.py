"""Checks the answers in one student's notebook, in a process of its own (see ``processes``).

It reads one line of JSON and writes one per event: a ``step`` before each piece of the student's
code that it runs, a ``result`` after each check, and ``done`` at the end. If a step hangs or kills
the process, the caller starts another process that skips it.

Only the statements that the checked functions need are run, not cells that plot or measure.
"""

import ast
import dis
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from azlearn.sandbox import enter

# Magics whose code defines names in the notebook, as if the magic were not there.
_MAGICS = re.compile(r"\A(?:\s*%%(?:time|capture|prun)\b.*\n)+|(?:^|(?<==))([ \t]*)%time ", re.M)
_PRIVATE = "azlearn.course."
_READ = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
_CHANGES = (ast.Store, ast.Del)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as in Jupyter; what is awaited is not run


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
    from IPython.display import display

    from azlearn import course
    from azlearn.course.exercises import EXERCISES
    from azlearn.course.results import Result

    steps, problems = read_steps(cells)
    for problem in problems:
        tell(remark=problem)
    for exercise in dict.fromkeys(step.exercise for step in steps if step.exercise):
        if exercise not in EXERCISES:
            tell(remark=f"There is no exercise {exercise!r:.20} in this version of the course.")
    # A notebook that is graded records nothing and reads no solutions.
    course.check = lambda *_, **__: Result("", "", "right")  # a loop may read its result
    course.hint = course.progress = lambda *_, **__: None
    course.solution = _unavailable
    names = {"__name__": "__main__", "__builtins__": __builtins__, "display": display}
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


def _compiled(node: ast.stmt | ast.expr) -> CodeType:
    if isinstance(node, ast.expr):
        return compile(ast.Expression(node), "<submission>", "eval", _AWAIT)
    return compile(ast.Module([node], []), "<submission>", "exec", _AWAIT)


def _run(node: ast.stmt, names: dict[str, Any]) -> str:
    """Runs one statement; returns the error in words, or ""."""
    try:
        exec(_compiled(node), names)
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
        answer = eval(_compiled(step.node), names)
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
    """Returns the checks and the statements they need, in order, and a line per problem."""
    from IPython.core.inputtransformer2 import TransformerManager

    found: list[Step] = []
    problems = []
    for number, source in enumerate(cells, 1):
        try:
            parsed = ast.parse(TransformerManager().transform_cell(_MAGICS.sub(r"\1", source)))
            compile(parsed, "<submission>", "exec", _AWAIT)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            problems.append(f"Cell {number} could not be read: {type(problem).__name__}: {problem}")
            continue
        for node in parsed.body:
            checks = [*_checks(node)]
            if private := _private_imports(node):
                names = ", ".join(sorted(private))
                problems.append(f"Cell {number} imports {names}, which is not allowed here.")
            elif not checks or hasattr(node, "body"):
                found.append(Step(number, node))
            found += [Step(number, answer, exercise) for exercise, answer in filter(None, checks)]
            if None in checks:
                problems.append(f"Cell {number} calls check in a form that cannot be graded.")
    last = {step.exercise: place for place, step in enumerate(found) if step.exercise}
    if not last:
        problems.append("The notebook contains no check that can be graded.")
    found = [s for i, s in enumerate(found) if not s.exercise or last[s.exercise] == i]
    return _needed(found), problems


def _checks(node: ast.stmt) -> Iterator[tuple[str, ast.expr] | None]:
    """The exercise and the answer in each call of ``check`` in a statement.

    Yields None if they are known only when the call runs, as in a function or a comprehension.
    """
    parts = [*ast.walk(node)]
    own_names = (*_FUNCTIONS, ast.Lambda, *_COMPREHENSIONS)
    inside = {part for scope in parts if isinstance(scope, own_names) for part in ast.walk(scope)}
    for call in parts:
        name = getattr(call, "func", None)
        if getattr(name, "attr", getattr(name, "id", "")) == "check":
            given = dict(zip(("id", "answer"), call.args, strict=False))
            given |= {keyword.arg: keyword.value for keyword in call.keywords}
            exercise, answer = getattr(given.get("id"), "value", None), given.get("answer")
            is_text = isinstance(exercise, str) and exercise
            is_one = answer and not isinstance(answer, ast.Starred)
            yield (exercise, answer) if is_text and is_one and call not in inside else None


def _needed(steps: list[Step]) -> list[Step]:
    """The checks, and the statements that the answers need, directly or through others."""
    kinds = (*_FUNCTIONS, ast.ClassDef)
    defined = {step.node.name: step.node for step in steps if isinstance(step.node, kinds)}
    imports = [step.node for step in steps if isinstance(step.node, ast.Import | ast.ImportFrom)]
    fixed = defined.keys() | {name for node in imports for name in _names(node, "STORE_NAME")}
    changes = [{"*"} if step.exercise else _changed(step.node, defined, fixed) for step in steps]
    needed, size = {"*"}, 0
    while size < len(needed):
        size = len(needed)
        found = [step for step, changed in zip(steps, changes, strict=True) if changed & needed]
        needed = needed.union(*(_names(step.node, *_READ) for step in found))
    return found


def _changed(node: ast.stmt, defined: dict[str, ast.stmt], fixed: set[str]) -> set[str]:
    """The global names that a statement defines or may change; "*" for all names.

    A statement such as ``table.append(1)`` or ``fill(table)``, whose value is not used, may change
    all variables that it names, and what the functions that it names change.

    Args:
        defined: the notebook's functions and classes.
        fixed: their names and the imported ones, which are not variables.
    """
    if getattr(node, "name", "") in defined:
        return {node.name}
    changed, codes = _names(node, "STORE_NAME"), [node]
    for code in codes:  # grows
        parts = [*ast.walk(code)]
        unused = _mentioned(part for part in parts if _is_unused(part))
        stored = _mentioned(p for p in parts if isinstance(getattr(p, "ctx", 0), _CHANGES))
        changed |= _names(code, *_READ) & (stored | unused - fixed)
        changed |= _names(code, "STORE_GLOBAL")
        changed |= {"*" for part in parts if isinstance(part, ast.alias) and part.name == "*"}
        codes += [defined[name] for name in unused & defined.keys() if defined[name] not in codes]
    return changed


def _is_unused(part: ast.AST) -> bool:
    """Whether this is an expression whose value nothing uses, such as ``f(x)`` or ``_ = f(x)``."""
    names = [getattr(target, "id", "") for target in getattr(part, "targets", ())]
    return isinstance(part, ast.Expr) or names == ["_"]


def _mentioned(parts: Iterable[ast.AST]) -> set[str]:
    return {name.id for part in parts for name in ast.walk(part) if isinstance(name, ast.Name)}


def _names(node: ast.stmt | ast.expr, *operations: str) -> set[str]:
    """The global names on which a piece of code or its functions perform these operations."""
    codes = [_compiled(node)]
    for code in codes:  # grows
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    steps = [step for code in codes for step in dis.get_instructions(code)]
    return {step.argval for step in steps if step.opname in operations}


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
