"""Every small mistake that can be made in a short function, by walking its syntax tree.

``slips(source)`` gives them one by one: a comparison, a sign, another variable, a step left out.
Each has a kind, whose words are in ``azlearn/course/slip_kinds.py``.
"""

import ast
from collections.abc import Iterator
from copy import deepcopy
from typing import NamedTuple


class Made(NamedTuple):
    """A mistake: its kind, where it is, what stands there and what would, the whole wrong
    source."""

    kind: str
    line: int
    before: str
    after: str
    source: str


def slips(source: str) -> Iterator[Made]:
    """All single mistakes in the code of a function, each text once."""
    tree = _without_annotations(ast.parse(source))
    lines = {ast.unparse(tree)}
    names = _names(tree)
    spots = [
        *_expressions(tree, names, _attributes(tree)),
        *_statements(tree),
        *_of_the_whole(tree, names),
    ]
    for kind, node, after, put in spots:
        undo = put()
        try:
            text = ast.unparse(ast.fix_missing_locations(tree))
        except (AttributeError, ValueError, TypeError):  # no code can be written so
            continue
        finally:
            undo()
        if text not in lines:
            lines.add(text)
            before = ast.unparse(node).split("\n")[0]
            yield Made(kind, node.lineno, before, after, text)


def _without_annotations(tree: ast.Module) -> ast.Module:
    """They do nothing, and a docstring neither."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                del node.body[0]
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                body[:] = [_plain_assignment(child) for child in body]
    return tree


def _plain_assignment(node: ast.stmt) -> ast.stmt:
    if not isinstance(node, ast.AnnAssign) or node.value is None:
        return node
    return ast.copy_location(ast.Assign([node.target], node.value), node)


def _names(tree: ast.AST) -> list[str]:
    """Arguments and variables."""
    found = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    stored = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return sorted(found | {node.id for node in stored})


_NO_DATA = {"append", "choice", "copy", "integers", "mean", "random", "shape", "sum"}


def _attributes(tree: ast.AST) -> list[str]:
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    if found & {"value_sum", "visit_counts"}:
        found |= {"value_sum", "visit_counts"}
    return sorted(found - _NO_DATA)


# --- expressions ---------------------------------------------------------------------------------


def _expressions(tree: ast.AST, names: list[str], attributes: list[str]) -> Iterator[tuple]:
    """(kind, the expression, what stands there then, a function that puts it there)."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if field in ("args", "decorator_list") and isinstance(parent, ast.FunctionDef):
                continue
            for place, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if not isinstance(node, ast.expr):
                    continue
                found = [*_inside(node, names, attributes)]
                is_callee = isinstance(parent, ast.Attribute) or (
                    isinstance(parent, ast.Call) and field == "func"
                )
                if not is_callee and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                    found += _around(node)
                for kind, new in found:
                    put = _replacing(parent, field, place, new)
                    yield kind, node, ast.unparse(ast.fix_missing_locations(new)), put


def _replacing(parent: ast.AST, field: str, place: int | None, new: ast.AST):
    def put():
        old = getattr(parent, field) if place is None else getattr(parent, field)[place]

        def set_to(node):
            if place is None:
                setattr(parent, field, node)
            else:
                getattr(parent, field)[place] = node

        set_to(new)
        return lambda: set_to(old)

    return put


_EQUALITY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_OPPOSITE = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_OPERATORS = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult, ast.FloorDiv],
    ast.FloorDiv: [ast.Div], ast.Mod: [ast.FloorDiv], ast.Pow: [ast.Mult],
    ast.BitAnd: [ast.BitOr, ast.BitXor], ast.BitOr: [ast.BitAnd, ast.BitXor],
    ast.BitXor: [ast.BitOr, ast.BitAnd], ast.LShift: [ast.RShift], ast.RShift: [ast.LShift],
}  # fmt: skip
_COMMUTES = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
# Function: (kind, the other function).
_OTHER = {
    "max": ("smallest for largest", "min"), "min": ("largest for smallest", "max"),
    "argmax": ("smallest for largest", "argmin"), "argmin": ("largest for smallest", "argmax"),
    "maximum": ("smallest for largest", "minimum"), "minimum": ("largest for smallest", "maximum"),
    "sum": ("mean for sum", "mean"), "mean": ("sum for mean", "sum"), "any": ("all for any", "all"),
    "all": ("any for all", "any"), "floor": ("rounded the other way", "ceil"),
    "ceil": ("rounded the other way", "floor"), "log": ("logarithm to base 10", "log10"),
    "exp": ("power of two", "exp2"), "zeros": ("ones for zeros", "ones"),
    "ones": ("zeros for ones", "zeros"), "log_softmax": ("no logarithm", "softmax"),
    "softmax": ("logarithm added", "log_softmax"), "tanh": ("another squashing", "sigmoid"),
    "relu": ("another squashing", "tanh"), "median": ("mean for median", "mean"),
}  # fmt: skip
# Function: the kind of leaving its call out.
_LEFT_OUT = {
    "sqrt": "no square root", "log": "no logarithm", "log1p": "no logarithm",
    "exp": "no exponential", "abs": "no absolute value", "copy": "no copy", "clone": "no copy",
    "deepcopy": "no copy",
    "detach": "gradient not cut", "square": "no square", "max": "no bound", "min": "no bound",
    "maximum": "no bound", "minimum": "no bound", "clamp": "no bound", "clip": "no bound",
    "int": "not made whole", "float": "not converted", "list": "not converted",
    "tolist": "not converted", "astype": "not converted", "item": "not converted",
    "sorted": "not sorted", "reversed": "order reversed", "round": "not rounded",
    "tanh": "nothing squashed", "relu": "nothing squashed", "softmax": "no softmax",
    "log_softmax": "no softmax", "squeeze": "shape left", "reshape": "shape left",
    "any": "not summed up", "all": "not summed up", "sum": "not summed up", "mean": "not summed up",
    "isfinite": "condition left out", "masked_fill": "condition left out",
    "set": "duplicates kept", "unique": "duplicates kept", "stack": "shape left",
}  # fmt: skip
_MODULES = ("np", "math", "torch", "F", "copy")


def _inside(node: ast.expr, names: list[str], attributes: list[str]) -> Iterator[tuple]:
    """(kind, another expression in its place)."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _of_a_comparison(node)
    elif isinstance(node, ast.BinOp):
        for other in _OPERATORS.get(type(node.op), ()):
            yield "another operator", _with(node, op=other())
        yield "part left out", deepcopy(node.left)
        yield "part left out", deepcopy(node.right)
        if not isinstance(node.op, _COMMUTES):
            yield "sides exchanged", _with(node, left=node.right, right=node.left)
        for side in ("left", "right") if isinstance(node.op, ast.Mult) else ():
            if isinstance(getattr(node, side), ast.Name | ast.Subscript):
                other = _parsed(f"1 - {ast.unparse(getattr(node, side))}")
                yield "complement", _with(node, **{side: other})
        if isinstance(node.op, ast.FloorDiv):
            yield (
                "rounded the other way",
                _parsed(f"-(-({ast.unparse(node.left)}) // ({ast.unparse(node.right)}))"),
            )
        yield from _brackets(node)
    elif isinstance(node, ast.UnaryOp):
        kind = "opposite condition" if isinstance(node.op, ast.Not | ast.Invert) else "sign"
        yield kind, deepcopy(node.operand)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or", _with(node, op=other)
        for i in range(len(node.values)):
            rest = [deepcopy(v) for k, v in enumerate(node.values) if k != i]
            new = rest[0] if len(rest) == 1 else ast.BoolOp(deepcopy(node.op), rest)
            yield "condition left out", new
    elif isinstance(node, ast.IfExp):
        yield "one case for both", deepcopy(node.body)
        yield "one case for both", deepcopy(node.orelse)
        yield "opposite condition", _with(node, body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.Constant):
        yield from _of_a_constant(node.value)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        for other in names:
            if other != node.id:
                yield "another variable", ast.Name(other, ast.Load())
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        if node.attr == "inf":
            for other in (0, 100, 10_000):
                yield "a number for infinity", ast.Constant(other)
        for other in attributes if node.attr in attributes else ():
            if other != node.attr:
                yield "another attribute", _with(node, attr=other)
        if node.attr == "legal_actions":
            yield (
                "illegal moves, too",
                _parsed(f"list(range(len({ast.unparse(node.value)}.visit_counts)))"),
            )
    elif isinstance(node, ast.Call):
        yield from _of_a_call(node)
    elif isinstance(node, ast.ListComp | ast.GeneratorExp):
        yield from _of_a_comprehension(node)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield from _of_a_subscript(node)
    elif isinstance(node, ast.SetComp):
        yield "duplicates kept", ast.ListComp(deepcopy(node.elt), deepcopy(node.generators))
    elif isinstance(node, ast.Lambda) and isinstance(node.body, ast.Tuple):
        for kind, new in _of_a_key(node.body.elts):
            yield kind, _with(node, body=new)
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
        yield "sides exchanged", _with(node, elts=node.elts[::-1])


def _of_a_comparison(node: ast.Compare) -> Iterator[tuple]:
    op, right = type(node.ops[0]), node.comparators[0]
    if op in _EQUALITY:
        yield "equality", _with(node, ops=[_EQUALITY[op]()])
    if op in _OPPOSITE:
        yield "opposite condition", _with(node, ops=[_OPPOSITE[op]()])
    if op in (ast.Is, ast.IsNot) and isinstance(right, ast.Constant) and right.value is None:
        left = deepcopy(node.left)
        yield "zero for missing", ast.UnaryOp(ast.Not(), left) if op is ast.Is else left
    yield "condition left out", ast.Constant(True)
    yield "condition never holds", ast.Constant(False)


def _of_a_constant(value: object) -> Iterator[tuple]:
    if isinstance(value, bool):
        yield "opposite condition", ast.Constant(not value)
    elif isinstance(value, int | float):
        others = {
            value + 1: "one more", value - 1: "one less", 0: "another number",
            -value: "sign", 2 * value: "another number", value / 2: "another number",
        }  # fmt: skip
        for other, kind in others.items():
            if other != value:
                yield kind, ast.Constant(other)


def _of_a_call(node: ast.Call) -> Iterator[tuple]:
    function, args = node.func, node.args
    is_method = isinstance(function, ast.Attribute)
    name = function.attr if is_method else getattr(function, "id", "")
    of_module = is_method and isinstance(function.value, ast.Name) and function.value.id in _MODULES
    if name == "legal_actions":
        every = f"list(range({ast.unparse(function.value)}.num_actions))"
        yield "illegal moves, too", _parsed(every)
    if name == "where" and len(args) == 3:
        yield "one case for both", deepcopy(args[1])
        yield "one case for both", deepcopy(args[2])
    if name in ("int", "round") and len(args) == 1:
        yield "rounded the other way", _parsed(f"int(np.ceil({ast.unparse(args[0])}))")
        if name == "int":
            yield "rounded", _parsed(f"round({ast.unparse(args[0])})")
        else:
            yield "made whole", _parsed(f"int({ast.unparse(args[0])})")
    if name in ("sqrt", "log", "exp", "log_softmax", "square") and of_module and len(args) == 1:
        yield from _over_a_part(function, args[0])
    if name in _OTHER and (is_method or name != "sum"):
        kind, other = _OTHER[name]
        new = _with(function, attr=other) if is_method else _with(function, id=other)
        yield kind, _with(node, func=new)
    if name == "sum":
        new = _with(function, attr="max") if is_method else _with(function, id="max")
        yield "largest for sum", _with(node, func=new)
    if name in _LEFT_OUT:
        if is_method and not of_module:
            yield _LEFT_OUT[name], deepcopy(function.value)
        elif args:
            yield _LEFT_OUT[name], deepcopy(args[0])
    if name in ("max", "min") and not is_method and (node.keywords or len(args) == 1):
        listed = ast.parse(f"reversed(list({ast.unparse(args[0])}))", mode="eval").body
        yield "last of equals", _with(node, args=[listed, *args[1:]])
        if not node.keywords:
            yield "mean for largest", _parsed(f"np.mean(list({ast.unparse(args[0])}))")
    if name in ("argmax", "argmin") and not node.keywords and len(args) <= 1:
        row = ast.unparse(args[0] if args else function.value)
        yield "last of equals", _parsed(f"len({row}) - 1 - np.{name}(np.asarray({row})[::-1])")
    if name in ("range", "integers", "arange") and args:
        last = len(args) - 1 if len(args) < 3 else 1
        for kind, sign in (("one fewer", "-"), ("one too many", "+")):
            end = _parsed(f"{ast.unparse(args[last])} {sign} 1")
            yield kind, _with(node, args=[*args[:last], end, *args[last + 1 :]])
        if len(args) == 1:
            yield "the first left out", _with(node, args=[ast.Constant(1), *args])
    for i in range(len(args) - 1):
        swapped = [*args[:i], args[i + 1], args[i], *args[i + 2 :]]
        yield "arguments exchanged", _with(node, args=swapped)
    for i in range(len(node.keywords)):
        yield "an option left out", _with(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])


def _over_a_part(function: ast.expr, argument: ast.expr) -> Iterator[tuple]:
    """√(a / b) as √a / b and as a / √b."""
    if isinstance(argument, ast.BinOp):
        for side in ("left", "right"):
            part = ast.Call(deepcopy(function), [deepcopy(getattr(argument, side))], [])
            yield "brackets", _with(argument, **{side: part})


def _brackets(node: ast.BinOp) -> Iterator[tuple]:
    """(a + b) * c as a + b * c, c * (a + b) as c * a + b, and back; c * √x as √(c * x)."""
    for side in ("left", "right"):
        inner = getattr(node, side)
        # The operand of the inner operation that lies next to the outer operator, and the far one.
        if isinstance(inner, ast.BinOp) and type(inner.op) is not type(node.op):
            near, far = ("right", "left") if side == "left" else ("left", "right")
            moved = _with(node, **{side: deepcopy(getattr(inner, near))})
            yield "brackets", _with(inner, **{near: moved, far: getattr(inner, far)})
        if isinstance(inner, ast.Call) and len(inner.args) == 1 and not inner.keywords:
            name = getattr(inner.func, "attr", getattr(inner.func, "id", ""))
            if name in ("sqrt", "log", "exp", "sum", "max", "square"):
                whole = _with(node, **{side: inner.args[0]})
                if not isinstance(inner.args[0], ast.GeneratorExp):
                    yield "brackets", _with(inner, args=[whole])


def _of_a_subscript(node: ast.Subscript) -> Iterator[tuple]:
    place = node.slice
    if isinstance(place, ast.Slice):
        yield "everything for a part", deepcopy(node.value)
        low, high = place.lower, place.upper
        if place.step is None and (low is None) != (high is None):  # x[:k] and x[-k:], x[k:]
            text = ast.unparse(low or high)
            yield "the other end", _with(node, slice=_slice(f"({text}):" if high else f":({text})"))
            if high:
                yield "the other end", _with(node, slice=_slice(f"-({text}):"))
            else:
                yield "the other end", _with(node, slice=_slice(f":-({text})"))
    if isinstance(place, ast.Tuple):
        if any(isinstance(part, ast.Slice) and part.step for part in place.elts):
            yield "everything for a part", deepcopy(node.value)
            yield "axes exchanged", _with(node, slice=ast.Tuple(place.elts[::-1], ast.Load()))
        if len(place.elts) == 2:
            swapped = ast.Tuple(place.elts[::-1], ast.Load())
            yield "axes exchanged", _with(node, slice=swapped)
    if isinstance(node.value, ast.Subscript):
        inner = _with(node.value, slice=node.slice)
        yield "axes exchanged", _with(node, value=inner, slice=node.value.slice)


def _slice(text: str) -> ast.expr:
    return _parsed(f"x[{text}]").slice


def _of_a_key(parts: list[ast.expr]) -> Iterator[tuple]:
    """Of a tuple to sort by: one part alone, or their sum."""
    for part in parts:
        yield "part left out", deepcopy(part)
    if len(parts) == 2:
        yield "added up", ast.BinOp(deepcopy(parts[0]), ast.Add(), deepcopy(parts[1]))


def _of_a_comprehension(node: ast.ListComp | ast.GeneratorExp) -> Iterator[tuple]:
    first, *others = node.generators
    for i in range(len(first.ifs)):
        without = _with(first, ifs=first.ifs[:i] + first.ifs[i + 1 :])
        yield "condition left out", _with(node, generators=[without, *others])
    backwards = _parsed(f"reversed(list({ast.unparse(first.iter)}))")
    yield "order reversed", _with(node, generators=[_with(first, iter=backwards), *others])
    once = _parsed(f"list(dict.fromkeys({ast.unparse(first.iter)}))")
    yield "duplicates left out", _with(node, generators=[_with(first, iter=once), *others])
    if isinstance(node, ast.ListComp):
        yield "the first alone", _parsed(f"({ast.unparse(node)})[:1]")


# What may be done to a value once more than it should: kind, text.
_AROUND = (
    ("sign", "-({})"), ("made whole", "int({})"), ("absolute value", "abs({})"),
    ("half", "({}) / 2"), ("double", "2 * ({})"), ("one more", "({}) + 1"),
    ("one less", "({}) - 1"),
    ("opposite condition", "not ({})"), ("rounded", "round({})"), ("gradient cut", "({}).detach()"),
    ("the first alone", "({})[:1]"), ("the last alone", "({})[-1:]"),
    ("order reversed", "({})[::-1]"),
    ("gradient cut", "({}).item()"), ("made whole", "({}).astype(int)"),
    ("yes or no", "({}).astype(bool)"), ("single precision", "np.asarray({}).astype(np.float32)"),
    ("negatives cut off", "torch.relu({})"), ("squashed twice", "({}).tanh()"),
    ("squared", "({}) ** 2"), ("negatives cut off", "max({}, 0)"), ("axes exchanged", "({}).T"),
    ("mean for the whole", "({}).mean()"), ("sum for the whole", "({}).sum()"),
    ("logarithm added", "np.log({})"), ("square root added", "math.sqrt({})"),
    ("at least one", "max({}, 1)"), ("mean for largest", "np.mean(list({}))"),
)  # fmt: skip
# What a learner does to a plain variable, too.
_OF_A_NAME = {
    "sign", "one more", "one less", "gradient cut", "the first alone", "the last alone",
    "made whole", "order reversed", "logarithm added", "square root added",
}  # fmt: skip
_RESULTS = ("outcome", "result", "value", "score")
_MAY_STAND = (
    ast.Call | ast.BinOp | ast.Name | ast.IfExp | ast.Subscript | ast.Attribute | ast.BoolOp
)


def _around(node: ast.expr) -> Iterator[tuple]:
    if isinstance(node, _MAY_STAND):
        text, is_name = ast.unparse(node), isinstance(node, ast.Name | ast.Attribute)
        for kind, form in _AROUND:
            if not is_name or kind in _OF_A_NAME:
                yield kind, _parsed(form.format(text))
        if any(word in text for word in _RESULTS) and not isinstance(node, ast.BoolOp):
            for other in (1, -1):  # a draw made a win, or a loss
                yield "another number for 0", _parsed(f"({text} or {other})")


# --- statements ----------------------------------------------------------------------------------


def _statements(tree: ast.AST) -> Iterator[tuple]:
    for parent in ast.walk(tree):
        for field in ("body", "orelse"):
            body = getattr(parent, field, None)
            if isinstance(body, list) and not isinstance(parent, ast.Module):
                for i, node in enumerate(body):
                    for kind, new in _of_a_statement(body, i):
                        whole = body[:i] + new
                        after = "\n".join(ast.unparse(ast.fix_missing_locations(n)) for n in new)
                        yield kind, node, after.split("\n")[0], _putting(parent, field, whole)


def _putting(parent: ast.AST, field: str, new: list):
    def put():
        old = getattr(parent, field)
        setattr(parent, field, new)
        return lambda: setattr(parent, field, old)

    return put


_OF_A_RESULT = (
    ("sorted", "sorted({})"),
    ("rounded", "round({}, 2)"),
    ("rounded", "np.round({}, 2)"),
    ("complement", "1 - ({})"),
    ("size for the whole", "np.sign({})"),
    ("duplicates left out", "list(dict.fromkeys({}))"),
)
_PARTS_OF_A_LOOP = (
    ("order reversed", "reversed(list({}))"), ("the last left out", "list({})[:-1]"),
    ("the first left out", "list({})[1:]"), ("the first alone", "list({})[:1]"),
    ("the last alone", "list({})[-1:]"), ("duplicates left out", "list(dict.fromkeys({}))"),
)  # fmt: skip


def _of_a_statement(body: list[ast.stmt], i: int) -> Iterator[tuple]:
    """(kind, what stands from the i-th statement on)."""
    node, rest = body[i], body[i + 1 :]
    follows = rest[0] if rest else None
    if not isinstance(node, ast.FunctionDef | ast.Return) and len(body) > 1:
        yield "step left out", rest
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        (target,) = node.targets if len(node.targets) == 1 else (None,)
        if isinstance(target, ast.Name) and ast.unparse(node.value.left) == target.id:
            new = ast.AugAssign(deepcopy(target), node.value.op, deepcopy(node.value.right))
            yield "no copy", [new, *rest]
    if isinstance(node, ast.AugAssign):
        for other in _OPERATORS.get(type(node.op), ()):
            if not isinstance(node.op, ast.Add | ast.Sub):
                yield "another operator", [_with(node, op=other()), *rest]
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        target, value = ast.unparse(node.target), ast.unparse(node.value)
        yield "largest for sum", [*_lines(f"{target} = max({target}, {value})"), *rest]
        yield "mean with the last", [*_lines(f"{target} = ({target} + ({value})) / 2"), *rest]
        for count in body[:i] if not isinstance(node.value, ast.Constant) else ():
            if isinstance(count, ast.AugAssign) and isinstance(count.op, ast.Add):
                by = ast.unparse(count.target)
                yield "running mean", [*_lines(f"{target} += ({value} - {target}) / {by}"), *rest]
    if isinstance(node, ast.Return) and node.value is not None:
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for k, value in enumerate(values):
            for kind, form in _OF_A_RESULT:
                new = _parsed(form.format(ast.unparse(value)))
                if isinstance(node.value, ast.Tuple):
                    new = _with(node.value, elts=[*values[:k], new, *values[k + 1 :]])
                yield kind, [_with(node, value=new), *rest]
    if isinstance(node, ast.Continue):
        yield "loop left", [ast.Break(), *rest]
    if isinstance(node, ast.AugAssign):
        yield "set, not added", [ast.Assign([node.target], node.value, lineno=0), *rest]
        if isinstance(node.op, ast.Add | ast.Sub):
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield "sign", [_with(node, op=other), *rest]
    if isinstance(node, ast.If):
        opposite = ast.UnaryOp(ast.Not(), node.test)
        yield "opposite condition", [_with(node, test=opposite), *rest]
        yield "condition left out", [*node.body, *rest]
        yield "condition never holds", [*(node.orelse or [ast.Pass()]), *rest]
    if isinstance(node, ast.While):
        yield "once only", [ast.If(node.test, node.body, []), *rest]
    if isinstance(node, ast.For):
        for kind, form in _PARTS_OF_A_LOOP:
            part = _parsed(form.format(ast.unparse(node.iter)))
            yield kind, [_with(node, iter=part), *rest]
        yield "the first alone", [_with(node, body=[*node.body, ast.Break()]), *rest]
    if isinstance(node, ast.For | ast.While):
        if isinstance(follows, ast.Return):
            yield "returned too early", [_with(node, body=[*node.body, follows]), *rest]
        last = node.body[-1]
        if len(node.body) > 1 and not isinstance(last, ast.Return | ast.Break | ast.If):
            yield "step after the loop", [_with(node, body=node.body[:-1]), last, *rest]
    if isinstance(node, ast.For | ast.While):
        yield from _before_a_loop(node, rest)
    if follows is not None and not isinstance(follows, ast.Return):
        yield "order of steps", [follows, node, *rest[1:]]
        if len(rest) > 1 and not isinstance(rest[1], ast.Return):
            yield "order of steps", [follows, rest[1], node, *rest[2:]]
            yield "order of steps", [rest[1], node, follows, *rest[2:]]


def _before_a_loop(node: ast.For | ast.While, rest: list[ast.stmt]) -> Iterator[tuple]:
    """What each round should do anew is done once: a step or a call."""
    for k, step in enumerate(node.body):
        if isinstance(step, ast.Assign) and len(node.body) > 1:
            others = node.body[:k] + node.body[k + 1 :]
            yield "step before the loop", [step, _with(node, body=others), *rest]
    inside = [n for step in node.body for n in ast.walk(step)]
    for call in [n for n in inside if isinstance(n, ast.Call)]:
        loop = _Replaced(call, ast.Name("once", ast.Load())).visit_copy(node)
        first = ast.Assign([ast.Name("once", ast.Store())], deepcopy(call), lineno=0)
        yield "step before the loop", [first, loop, *rest]


class _Replaced(ast.NodeTransformer):
    """A copy of a tree with another expression in the place of one."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit_copy(self, tree: ast.AST) -> ast.AST:
        copied = {id(self.old): self.old}  # deepcopy leaves what its memo has as it is
        return self.visit(deepcopy(tree, copied))

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _of_the_whole(tree: ast.Module, names: list[str]) -> Iterator[tuple]:
    """Two variables exchanged in a statement, or one for another wherever it is read."""
    function = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    read = [
        n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]
    for name in names:
        places = [n for n in read if n.id == name]
        for other in names if len(places) > 1 else ():
            if other != name:
                yield "another variable", places[0], other, _renaming([(n, other) for n in places])
    for statement in ast.walk(function):
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
            continue
        inside = [n for n in ast.walk(statement) if any(n is one for one in read)]
        used = sorted({n.id for n in inside} & set(names))
        for k, one in enumerate(used):
            for other in used[k + 1 :]:
                places = [
                    (n, other if n.id == one else one) for n in inside if n.id in (one, other)
                ]
                yield "sides exchanged", statement, f"{one}, {other}", _renaming(places)


def _renaming(places: list[tuple[ast.Name, str]]):
    def put():
        before = [node.id for node, _ in places]
        for node, name in places:
            node.id = name

        def undo():
            for (node, _), name in zip(places, before, strict=True):
                node.id = name

        return undo

    return put


def _lines(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _with(node: ast.AST, **changes: object) -> ast.AST:
    """A copy of a node with some fields changed."""
    fields = {name: deepcopy(value) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**(fields | changes)), node)
