"""Slot machines for the reader to play in the page, while UCB1 plays the same machines."""

import math

import traitlets

from azlearn.viz import assets
from azlearn.viz.colors import PAIRS
from azlearn.viz.picture import Picture
from azlearn.viz.themes import themed
from azlearn.viz.widget import FileWidget

MIN_ARMS, MAX_ARMS = 2, 9  # one digit key pulls one arm
DEFAULT_SEED = 66  # here the arm that looks best after one pull of each is not the best


class Bandit(FileWidget):
    """A row of slot machines with unknown means; see ``bandit``.

    Attributes (shared with the browser): setting one starts a new game.
        num_arms: the number of arms, 2 to 9.
        seed: determines the true means, and what each pull of each arm pays.
        c: UCB1's exploration constant.
    """

    num_arms = traitlets.Int(5).tag(sync=True)
    seed = traitlets.Int(DEFAULT_SEED).tag(sync=True)
    c = traitlets.Float(1.0).tag(sync=True)

    _esm = assets.module(assets.BANDIT)
    _css = assets.styles("bandit.css")
    IN_A_FILE = ("num_arms", "seed", "c")
    STILL = "A still picture: run the cell to pull the arms."

    @traitlets.validate("num_arms")
    def _valid_num_arms(self, proposal) -> int:
        if not MIN_ARMS <= proposal["value"] <= MAX_ARMS:
            raise ValueError(f"num_arms must be {MIN_ARMS} to {MAX_ARMS}, not {proposal['value']}.")
        return proposal["value"]

    @traitlets.validate("seed")
    def _valid_seed(self, proposal) -> int:
        if not 0 <= proposal["value"] < 2**31:
            raise ValueError(f"seed must be 0 to {2**31 - 1}, not {proposal['value']}.")
        return proposal["value"]

    @traitlets.validate("c")
    def _valid_c(self, proposal) -> float:
        if not (math.isfinite(proposal["value"]) and proposal["value"] >= 0):
            raise ValueError(f"c must be a finite number, 0 or more, not {proposal['value']}.")
        return proposal["value"]

    def describe(self) -> str:
        """The picture's alternative text."""
        return (
            f"A bandit: {self.num_arms} slot machines with unknown mean payouts. In the page you "
            "pull them, UCB1 plays beside you, and three lines show the regret."
        )

    def to_picture(self) -> Picture:
        """The machines before the first pull."""
        return Picture(self.describe(), svg=themed(_machines(self.num_arms)), caption="")

    def _title(self) -> str:
        return "A bandit"

    def __repr__(self) -> str:
        return f"Bandit: {self.describe()}"


def bandit(num_arms: int = 5, seed: int = DEFAULT_SEED, c: float = 1.0) -> Bandit:
    """Slot machines to play by hand, while UCB1 plays the same machines.

    Each pull pays +1 or −1. The true means stay hidden until 50 pulls are made, or until you ask
    for them. The seed fixes what the n-th pull of each arm pays, so you and UCB1 have the same
    luck. Everything runs in the page: ``bandit().to_html("bandit.html")`` needs no kernel.

    Args:
        num_arms: the number of arms, 2 to 9.
        seed: determines the true means and all payouts; "New machines" uses the next seed.
        c: the exploration constant that UCB1 starts with; a slider in the page changes it.

    Raises:
        ValueError: num_arms, seed or c is out of range.
    """
    return Bandit(num_arms=num_arms, seed=seed, c=c)


def _machines(num_arms: int) -> str:
    """A row of machines, each with its number and a question mark, as SVG text in ``PAIRS``."""
    width, height, cards = 76 * num_arms + 4, 128, []
    for arm in range(num_arms):
        x = 76 * arm + 6
        middle = x + 34
        cards.append(
            f'<rect x="{x}" y="2" width="68" height="{height - 4}" rx="10" fill="{PAIRS["card"]}" '
            f'stroke="{PAIRS["line"]}"/>'
            f'<text x="{middle}" y="24" font-size="15" fill="{PAIRS["fg"]}">{arm + 1}</text>'
            f'<rect x="{middle - 18}" y="34" width="36" height="22" rx="6" fill="{PAIRS["bg"]}" '
            f'stroke="{PAIRS["line"]}"/>'
            f'<text x="{middle}" y="98" font-size="26" fill="{PAIRS["mute"]}">?</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="DejaVu Sans, system-ui, sans-serif" '
        f'font-weight="700" text-anchor="middle">{"".join(cards)}</svg>'
    )
