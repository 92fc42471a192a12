"""The residual block (8.2). The convolutions are stand-ins to be worked out by hand."""

from azlearn.course.kit import CHANGED, Case, has_gradient, numbers, tensor

GRADIENT = "the gradient of its sum for x"  # only where no ReLU stands at 0
CASES = [
    Case(
        "x = [1, -2, 0.5, 3], first(t) = 2t - 1, second(t) = 1 - t",
        ([[[[1.0, -2.0, 0.5, 3.0]]]], lambda t: 2 * t - 1, lambda t: 1 - t),
        # first: 1 -5 0 5; ReLU: 1 0 0 5; second: 0 1 1 -4; with x: 1 -1 1.5 -1
        [[[[1.0, 0.0, 1.5, 0.0]]]],
    ),
    Case(
        "two channels, x = [0.5, -1] and [2, 0]; both functions swap them, first then takes t - 1, second 3t - 1",
        ([[[[0.5, -1.0]], [[2.0, 0.0]]]], lambda t: t.flip(1) - 1, lambda t: 3 * t.flip(1) - 1),
        # first: (1 -1) (-0.5 -2); ReLU: (1 0) (0 0); second: (-1 -1) (2 -1); with x: (-0.5 -2) (4 -1)
        [[[[0.0, 0.0]], [[4.0, 0.0]]]],
    ),
    Case(
        "x = [1, -2, 3], first(t) = second(t) = 2t - 1",
        ([[[[1.0, -2.0, 3.0]]]], lambda t: 2 * t - 1, lambda t: 2 * t - 1),
        # first: 1 -5 5; ReLU: 1 0 5; second: 1 -1 9; with x: 2 -3 12. Where it is above 0: 1 + 2 * 2
        {"": [[[[2.0, 0.0, 12.0]]]], GRADIENT: [[[[5.0, 0.0, 5.0]]]]},
    ),
]


def draw(rng):
    """Any x, with zeros; the functions are a t + b of the channels, which they flip."""
    x = (rng.integers(-6, 7, size=rng.integers(1, 4, size=4)) / 2).tolist()
    (a, c), (b, d) = rng.choice([-2, -1, 1, 3], size=2), rng.integers(-2, 3, size=2)
    words = f"x = {x}, channels flipped by both, first {a}t {b:+}, second {c}t {d:+}"
    first, second = (lambda t: t.flip(1) * int(a) + int(b)), (lambda t: t.flip(1) * int(c) + int(d))
    return Case(words, (x, first, second))


def observe(residual, case):
    x, first, second = case.arguments
    leaf = tensor(x, requires_grad=True)
    own = leaf.clone()
    value = residual(own, first, second)
    flows = has_gradient(value)
    seen = {"": numbers(value), CHANGED: numbers(own) != x, "whether a gradient flows back": flows}
    if isinstance(case.right, dict):
        if flows:
            value.sum().backward()
        seen[GRADIENT] = "none" if leaf.grad is None else numbers(leaf.grad)
    return seen
