"""A game in JavaScript: the same arithmetic on BigInt, for pages that search without Python.

Python's integers and BigInt agree: both are unbounded, use two's complement, and keep the sign when
shifted right. So each function of a rules module is translated statement by statement. The methods
that compute planes and cells are *traced*: they run once, on words that record each operation. A
comparison returns 1n or 0n.

Only parsed code is translated, so an untrusted game file cannot smuggle a script into a page.
"""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Callable
from contextlib import suppress
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from azlearn.games.footprints import filled_cells
from azlearn.games.game import Game, drawing_of
from azlearn.games.line_game import LineGame
from azlearn.games.rules_game import RulesGame

_WANTED = ("play", "options", "is_legal", "outcome", "to_play", "rollout_options", "INITIAL")
_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARISONS = {
    ast.Eq: "===", ast.NotEq: "!==", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_HELPERS = """\
const $b = condition => (condition ? 1n : 0n);
const $mod = (a, b) => ((a % b) + b) % b;
const $div = (a, b) => (a - $mod(a, b)) / b;
const $bits = (words, table) => {
  const halves = words.flatMap(w => [Number(BigInt.asUintN(32, w)), Number(BigInt.asUintN(32, w >> 32n))]);
  const found = new Float32Array(table.length / 2);
  for (let i = 0; i < found.length; i++) {
    const bit = table[2 * i + 1];
    found[i] = (halves[2 * table[2 * i] + (bit >> 5)] >>> (bit & 31)) & 1;
  }
  return found;
};
"""  # noqa: E501


class CannotTranslate(ValueError):
    """A game uses Python code that cannot be translated to JavaScript; the message locates it."""


def to_javascript(game: RulesGame) -> str:
    """Translates a game to the source of a JavaScript object, for ``const game = ...``.

    States are arrays of BigInt. The object has ``play``, ``options``, ``isLegal``, ``outcome`` and
    ``toPlay`` as in ``RulesGame``, and ``rolloutOptions`` (null if the rules have none).
    ``planes(state)`` returns numbers [num_planes * rows * cols] as ``encode`` does, and
    ``cells(state)`` [rows * cols] as ``cells`` does. ``initial`` is the first position, and
    ``table`` contains data that does not depend on the position.

    Raises:
        CannotTranslate: something cannot be translated; the message gives the file and the line.
    """
    rules = rules_of(game)
    kept = ("initial_state", "legal_actions", "outcome", "encode")
    own = [name for name in kept if getattr(type(game), name) is not getattr(RulesGame, name)]
    if own or game.next_state is not rules.play:
        raise CannotTranslate(
            f"{type(game).__name__} overrides {[*own, 'next_state'][0]}, which a page derives from"
            " the rules, so a page cannot play it."
        )
    writer = _Writer(game.State)
    try:
        names = {name: writer.name_of(getattr(rules, name, None), name) for name in _WANTED}
    except TypeError as problem:
        raise CannotTranslate(
            f"{problem}, so a page can only replay searches of this game."
        ) from None
    return (
        f"(() => {{\n{_HELPERS}{''.join(writer.parts)}const toPlay = {names['to_play']};\n"
        f"const table = {json.dumps(_table(game))};\n"
        f"const planes = {_bits_traced(game)};\nconst cells = {_numbers_traced(game)};\n"
        f"return {{ play: {names['play']}, options: {names['options']}, "
        f"isLegal: {names['is_legal']}, outcome: {names['outcome']}, toPlay, "
        f"rolloutOptions: {names['rollout_options']}, initial: {names['INITIAL']}, planes, cells, "
        "table };\n})()"
    )


def rules_of(game: Game) -> ModuleType:
    """Returns the game's rules module. Raises ``CannotTranslate`` if it has none."""
    rules = getattr(game, "rules", None)
    if not isinstance(game, RulesGame) or not isinstance(rules, ModuleType):
        raise CannotTranslate(
            f"{type(game).__name__} has no rules module, so a page cannot play it."
        )
    return rules


def _table(game: RulesGame) -> dict[str, Any]:
    """The data that a search in a page needs besides the rules."""
    drawing = drawing_of(game)
    return {
        "rows": int(game.rows),
        "cols": int(game.cols),
        "numActions": int(game.num_actions),
        "falls": drawing.falls,
        "fills": drawing.fills,
        # The cell that each action fills; empty if only the boards before and after show it.
        "filled": []
        if drawing.falls or (drawing.fills and not _is_fixed(game))
        else filled_cells(game, game.initial_state()),
        "fixed": hasattr(game, "footprint"),  # a move's mark is always the cell in ``filled``
        "lines": _lines(game) if isinstance(game, LineGame) else [],
    }


def _is_fixed(game: RulesGame) -> bool:
    """Whether ``cell`` depends on the action alone."""
    twin, (_, state) = _twin(game), _start(game)
    try:
        return not any(isinstance(twin.cell(state, a), _Word) for a in range(game.num_actions))
    except Exception:  # a branch that depends on the position
        return False


def _lines(game: LineGame) -> list[list[int]]:
    """The cells of every winning line, in the order in which ``highlights`` finds them."""
    cell_of = {int(bit): cell for cell, bit in enumerate(game.cell_bits.ravel())}
    return [
        line
        for step in game.rules.DIRECTIONS
        for start in sorted(cell_of, reverse=True)
        if None not in (line := [cell_of.get(start + i * step) for i in range(game.rules.CONNECT)])
    ]


# --- functions, translated statement by statement -----------------------------------------------


class _Writer:
    """Translates functions and constants of a rules module and everything they use, each once."""

    def __init__(self, state: type) -> None:
        self.state, self.fields = state, state._fields
        self.parts: list[str] = []  # source text, in an order in which it can be run
        self.names: dict[Any, str] = {}  # keyed by the id of the translated object

    def name_of(self, value: Any, name: str) -> str:
        """Returns the JavaScript name of a function or constant, and translates it if it is new."""
        if value is None:
            return "null"
        key = id(value) if isinstance(value, FunctionType) else (name, repr(value))
        if key not in self.names:
            self.names[key] = given = f"{name}${len(self.names)}"
            if isinstance(value, FunctionType):
                self.parts.append(_Function(self, value).written(given))
            else:
                self.parts.append(f"const {given} = {_literal(value, name)};\n")
        return self.names[key]


class _Function:
    """Translates one function; an error gives its file and line."""

    def __init__(self, writer: _Writer, function: FunctionType) -> None:
        self.writer, self.function = writer, function
        lines, self.first = inspect.getsourcelines(function)
        self.tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        self.locals: set[str] = set()

    def fails(self, node: ast.AST, what: str) -> CannotTranslate:
        line = self.first + getattr(node, "lineno", 1) - 1
        file = inspect.getsourcefile(self.function)
        return CannotTranslate(
            f"{file}, line {line}: {what} cannot be translated to JavaScript yet. A page can only"
            " replay searches of this game."
        )

    def written(self, name: str) -> str:
        tree = self.tree
        if not isinstance(tree, ast.FunctionDef) or self.function.__closure__:
            raise self.fails(tree, "a lambda or a nested function")
        given = tree.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
            raise self.fails(tree, "a default value or a keyword-only or variadic argument")
        arguments = [argument.arg for argument in given.args]
        stored = {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        self.locals = {*arguments, *stored}
        body = "\n".join(filter(None, (self.statement(part, "  ") for part in tree.body)))
        own = ", ".join(_safe(one) for one in sorted(stored - {*arguments}))
        declared = f"  let {own};\n" if own else ""
        return f"function {name}({', '.join(map(_safe, arguments))}) {{\n{declared}{body}\n}}\n"

    # Statements.

    def statement(self, node: ast.stmt, pad: str) -> str:
        match node:
            case ast.Return(value=value) if value is not None:
                return f"{pad}return {self.of(value)};"
            case ast.Assign(targets=targets, value=value):
                places = [self.target(target) for target in targets]
                return f"{pad}{' = '.join(reversed(places))} = {self.of(value)};"
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                left = ast.copy_location(ast.Name(name, ast.Load()), node)
                whole = ast.copy_location(ast.BinOp(left, op, value), node)
                return f"{pad}{_safe(name)} = {self.of(whole)};"
            case ast.If(test=test, body=body, orelse=other):
                text = f"{pad}if ({self.of(test)}) {self.block(body, pad)}"
                return text + (f" else {self.block(other, pad)}" if other else "")
            case ast.For(target=target, iter=iterated, body=body, orelse=[]):
                return f"{pad}for ({self.each(target, iterated)}) {self.block(body, pad)}"
            case ast.While(test=test, body=body, orelse=[]):
                return f"{pad}while ({self.of(test)}) {self.block(body, pad)}"
            case ast.Break():
                return f"{pad}break;"
            case ast.Continue():
                return f"{pad}continue;"
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return ""
        raise self.fails(node, f"`{ast.unparse(node).splitlines()[0]:.60}`")

    def block(self, body: list[ast.stmt], pad: str) -> str:
        return "{\n" + "\n".join(self.statement(part, pad + "  ") for part in body) + f"\n{pad}}}"

    def target(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return _safe(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return f"[{', '.join(map(self.target, parts))}]"
        raise self.fails(node, f"an assignment to `{ast.unparse(node):.60}`")

    def each(self, target: ast.expr, node: ast.expr) -> str:
        """The text between the parentheses of a ``for``."""
        match target, node:
            case ast.Name(id=name), ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
                if len(args) < 3:
                    first, last = (["0n", *map(self.of, args)])[-2:]
                    # As in Python, the body can change neither the counter nor the end.
                    test = f"$i < $end && (({_safe(name)} = $i), true)"
                    return f"let $i = {first}, $end = {last}; {test}; $i++"
        return f"{self.target(target)} of {self.of(node)}"

    # Expressions.

    def of(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool() | int() as value):
                return f"{int(value)}n"
            case ast.Name(id=name) if name in self.locals:
                return _safe(name)
            case ast.Name(id=name) | ast.Attribute(attr=name) if (
                found := self.constant(node)
            ) is not None:
                with suppress(TypeError):
                    return self.writer.name_of(found, name)
            case ast.BinOp(op=ast.FloorDiv() | ast.Mod() as op, left=left, right=right):
                called = "$div" if isinstance(op, ast.FloorDiv) else "$mod"
                return f"{called}({self.of(left)}, {self.of(right)})"
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
                return f"({self.of(left)} {_OPERATORS[type(op)]} {self.of(right)})"
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return f"(~{self.of(operand)})"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self.of(operand)})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"$b(!{self.of(operand)})"
            case ast.Compare(left=left, ops=ops, comparators=others) if all(
                type(op) in _COMPARISONS for op in ops
            ):
                sides = [self.of(side) for side in (left, *others)]
                pairs = (
                    f"{a} {_COMPARISONS[type(op)]} {b}"
                    for a, op, b in zip(sides, ops, sides[1:], strict=False)
                )
                return f"$b({' && '.join(pairs)})"
            case ast.BoolOp(op=op, values=values):
                sign = " && " if isinstance(op, ast.And) else " || "
                return f"({sign.join(map(self.of, values))})"
            case ast.IfExp(test=test, body=body, orelse=other):
                return f"({self.of(test)} ? {self.of(body)} : {self.of(other)})"
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return f"[{', '.join(map(self.of, parts))}]"
            case ast.Starred(value=value):
                return f"...{self.of(value)}"
            case ast.Subscript(value=value, slice=ast.expr() as index) if not isinstance(
                index, ast.Slice | ast.Tuple
            ):
                return f"{self.of(value)}.at(Number({self.of(index)}))"
            case ast.Attribute(value=value, attr=name) if name in self.writer.fields:
                return f"{self.of(value)}[{self.writer.fields.index(name)}]"
            case ast.Call():
                return self.call(node)
        raise self.fails(node, f"`{ast.unparse(node).splitlines()[0]:.60}`")

    def call(self, node: ast.Call) -> str:
        match node:
            case ast.Call(func=ast.Name(id="isinstance")):
                return "true"  # here every word is a number
            case ast.Call(func=ast.Name(id="int" | "bool"), args=[value], keywords=[]):
                return self.of(value)
            case ast.Call(func=ast.Name(id="abs"), args=[value], keywords=[]):
                return f"(x => (x < 0n ? -x : x))({self.of(value)})"
            case ast.Call(func=ast.Name(id="len"), args=[value], keywords=[]):
                return f"BigInt({self.of(value)}.length)"
            case ast.Call(func=ast.Attribute(attr="_replace", value=value), args=[], keywords=new):
                places = {keyword.arg: self.of(keyword.value) for keyword in new}
                fields = self.writer.fields
                parts = (places.get(name, f"s[{i}]") for i, name in enumerate(fields))
                return f"(s => [{', '.join(parts)}])({self.of(value)})"
            case ast.Call(func=function, args=args, keywords=named):
                found = self.constant(function)
                if found is self.writer.state:
                    places = [self.of(value) for value in args]
                    given = {keyword.arg: self.of(keyword.value) for keyword in named}
                    places += [given[f] for f in self.writer.fields[len(args) :] if f in given]
                    return f"[{', '.join(places)}]"
                if isinstance(found, FunctionType) and not named:
                    called = self.writer.name_of(found, found.__name__)
                    return f"{called}({', '.join(map(self.of, args))})"
        raise self.fails(node, f"`{ast.unparse(node).splitlines()[0]:.60}`")

    def constant(self, node: ast.AST) -> Any:
        """Returns the global value of a name or of a module's attribute; None if there is none."""
        match node:
            case ast.Name(id=name) if name not in self.locals:
                return self.function.__globals__.get(name)
            case ast.Attribute(value=ast.Name() as value, attr=name):
                home = self.constant(value)
                return getattr(home, name, None) if isinstance(home, ModuleType) else None
        return None


def _safe(name: str) -> str:
    return f"{name}_"  # no JavaScript keyword ends in "_"


def _literal(value: Any, name: str) -> str:
    if isinstance(value, bool | int | np.integer):
        return f"{int(value)}n"
    if isinstance(value, tuple | list):
        return f"[{', '.join(_literal(part, name) for part in value)}]"
    raise TypeError(f"{name} is neither a function nor made of whole numbers")


# --- methods, traced -----------------------------------------------------------------------------


def _bits_traced(game: RulesGame) -> str:
    """Translates ``encode``: each number is one bit of some word."""
    tape, state = _start(game)
    bits = _asked(game, lambda twin: [_bit(part) for part in twin.encode(state).ravel().tolist()])
    words = [*dict.fromkeys(word for word, _ in bits)]
    table = [number for word, bit in bits for number in (words.index(word), bit)]
    return f"s => {{\n{_lines_of(tape, words)}  return $bits([{', '.join(words)}], {table});\n}}"


def _bit(part: Any) -> tuple[str, int]:
    """Returns the word and the bit number of a traced plane cell."""
    if isinstance(part, int):
        return "1n" if part else "0n", 0
    match part.made_of:
        case ("&", _Word(made_of=(">>", _Word(name=word), int(bit))), int(mask)) if mask == 1:
            return word, bit
        case ("&", _Word(name=word), int(mask)) if mask == 1:
            return word, 0
    raise ValueError("a plane is not one bit of a word")


def _numbers_traced(game: RulesGame) -> str:
    """Translates ``cells``."""
    if type(game).cells is RulesGame.cells:
        return (
            "s => { const p = planes(s), n = table.rows * table.cols, mover = Number(toPlay(s)); "
            "return Array.from({ length: n }, (_, i) => "
            "p[i] * (1 + mover) + p[n + i] * (2 - mover)); }"
        )
    tape, state = _start(game)
    parts = [_text(part) for part in _asked(game, lambda twin: twin.cells(state))]
    return f"s => {{\n{_lines_of(tape, parts)}  return [{', '.join(parts)}].map(Number);\n}}"


def _start(game: RulesGame) -> tuple[dict[str, str], Any]:
    tape: dict[str, str] = {}
    return tape, game.State(*(_Word(tape, f"s[{i}]") for i in range(len(game.State._fields))))


def _asked(game: RulesGame, ask: Callable[[Any], list]) -> list:
    try:
        return ask(_twin(game))
    except Exception as problem:
        raise CannotTranslate(
            f"The planes or cells of {type(game).__name__} cannot be translated to JavaScript"
            f" ({problem}), so a page can only replay searches of this game."
        ) from None


def _lines_of(tape: dict[str, str], wanted: list[str]) -> str:
    """Returns the statements that compute the names in ``wanted``, in order."""
    needed, text_of = set(), {name: text for text, name in tape.items()}
    waiting = [name for name in wanted if name in text_of]
    while waiting:
        if (name := waiting.pop()) not in needed:
            needed.add(name)
            waiting += re.findall(r"\bt\d+\b", text_of[name])
    return "".join(f"  const {n} = {text};\n" for n, text in text_of.items() if n in needed)


def _twin(game: RulesGame) -> Any:
    """Returns a copy of the game whose methods accept words that record their operations."""
    kind = type(f"Traced{type(game).__name__}", (type(game),), {
        "encode": _encode_words, "to_play": lambda self, state: self.rules.to_play(state),
    })  # fmt: skip
    twin = object.__new__(kind)
    twin.__dict__.update(vars(game) | {"State": None})  # otherwise words are rejected
    return twin


def _encode_words(game: Any, state: Any) -> np.ndarray:
    planes = game.bit_planes(state, lambda table: np.asarray(table).astype(object).view(_Words))
    return np.stack([np.asarray(plane) for plane in planes]).view(_Words)


class _Words(np.ndarray):
    """An array of words that ``astype`` leaves unchanged."""

    def astype(self, *_args: Any, **_options: Any) -> "_Words":
        return self


class _Word:
    """A word that records every operation on it, each only once."""

    __array_ufunc__ = None  # so that its own operator is called when the other operand is an array
    __hash__ = None

    def __init__(self, tape: dict[str, str], name: str, made_of: tuple = ()) -> None:
        self.tape, self.name, self.made_of = tape, name, made_of

    def made(self, text: str, made_of: tuple = ()) -> "_Word":
        return _Word(self.tape, self.tape.setdefault(text, f"t{len(self.tape)}"), made_of)

    def __invert__(self) -> "_Word":
        return self.made(f"~{self.name}")

    def __neg__(self) -> "_Word":
        return self.made(f"-{self.name}")

    def __bool__(self) -> bool:
        raise TypeError("a branch that depends on the position")


# With these operands the result is the word itself, or 0.
_SAME = {("+", 0), ("-", 0), ("|", 0), ("^", 0), ("<<", 0), (">>", 0), ("*", 1)}
_ZERO = {("*", 0), ("&", 0)}


def _operation(sign: str, is_test: bool = False, is_turned: bool = False):
    def apply(self: _Word, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return np.array([apply(self, one) for one in other.flat], object).reshape(other.shape)
        other = other if isinstance(other, _Word) else int(other)
        if not isinstance(other, _Word) and not (is_turned and sign in ("-", "<<", ">>")):
            if (sign, other) in _SAME:
                return self
            if (sign, other) in _ZERO:
                return 0
        left, right = (other, self) if is_turned else (self, other)
        text = f"{_text(left)} {sign} {_text(right)}"
        return self.made(f"$b({text})" if is_test else text, (sign, left, right))

    return apply


for _name, _sign in {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>",
}.items():  # fmt: skip
    setattr(_Word, f"__{_name}__", _operation(_sign))
    setattr(_Word, f"__r{_name}__", _operation(_sign, is_turned=True))
for _name, _sign in {
    "eq": "===", "ne": "!==", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}.items():  # fmt: skip
    setattr(_Word, f"__{_name}__", _operation(_sign, is_test=True))


def _text(value: Any) -> str:
    return value.name if isinstance(value, _Word) else f"{int(value)}n"
