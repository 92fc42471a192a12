"""Formats numbers exactly as static/paint.js does."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal

_EXACT = Context(prec=400)  # enough for any float and its decimals


def num(value: float | None, digits: int = 2) -> str:
    """ "0.43", "−0.13"; "∞" for infinity, "–" for None or NaN.

    Halves are rounded away from zero, as in the browser: −0.125 becomes "−0.13".
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    unit = Decimal(1).scaleb(-digits)
    rounded = Decimal(abs(float(value))).quantize(unit, ROUND_HALF_UP, _EXACT)
    return f"{'−' if value < 0 and rounded else ''}{rounded:f}"


def counted(noun: str, *numbers: int) -> str:
    """ "1 simulation", "1,500 simulations", "1 and 20 simulations"."""
    return f"{' and '.join(f'{n:,}' for n in numbers)} {noun}{'s' * (numbers != (1,))}"


def signed(value: float | None, digits: int = 2) -> str:
    """ "+0.43", "−0.13", "0.00"."""
    text = num(value, digits)
    is_positive = value is not None and value > 0 and any(c in "123456789∞" for c in text)
    return "+" + text if is_positive else text
