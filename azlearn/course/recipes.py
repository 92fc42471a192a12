"""Compares how AlphaGo Zero and AlphaZero were trained with how azlearn trains Connect Four.

AlphaGo Zero: D. Silver et al., Nature 550 (2017), "Empirical analysis" and Methods, for its
networks of 19 and 39 residual blocks. AlphaZero: D. Silver et al., Science 362 (2018), and its
supplement; a star marks values that are only in its published pseudocode (Data S1).
"""

from azlearn.learning import SIZES, preset, read_log

PAPERS = {
    "": ("AlphaGo Zero, 2017", "AlphaZero, 2018"),
    "games played": ("4.9 million, 29 million", "chess 44, shogi 24, Go 140 million"),
    "blocks × filters": ("19 × 256, 39 × 256", "19 × 256"),
    "simulations per move": ("1,600", "800"),
    "window": ("500,000 games", "1 million games*"),
    "batch": ("2,048", "4,096"),
    "steps": ("700,000, 3.1 million", "700,000"),
    "optimizer": ("SGD, momentum 0.9", "SGD, momentum 0.9*"),
    "learning rate": ("0.01, 0.001, 0.0001", "0.2 to 0.0002 in three drops, Go from 0.02*"),
    "target of v": ("z", "z"),
    "random openings": ("none", "none"),
    "gate": ("55% of 400 games", "none"),
    "false resignations": ("below 5%", "not stated"),
    "time": ("3 days, 40 days", "9 hours, 12 hours, 13 days"),
    "hardware": ("64 GPUs, 19 CPU servers to train", "5,000 TPUs to play, 16 to train"),
}
OPTIMIZER_WORDS = {"adam": "AdamW", "sgd": "SGD, momentum 0.9"}


def recipe_table(network: str = "connect4") -> str:
    """Returns a Markdown table of all three; azlearn's column comes from its settings and log."""
    settings, last = preset("connect4", "cpu"), read_log(network)[-1]
    size, share = SIZES[settings.network], settings.value_target_mix
    steps = last["samples"] * settings.samples_per_position / settings.batch_size
    ours = (
        f"azlearn, `{network}`",
        f"{last['games']:,}",
        f"{size['blocks']} × {size['channels']}",
        f"{settings.first_simulations}, rising to {settings.simulations}",
        f"{settings.window:,} positions",
        f"{settings.batch_size:,}",
        f"{round(steps, -3):,.0f}",
        f"{OPTIMIZER_WORDS[settings.optimizer]}, decay {settings.weight_decay}",
        f"{settings.learning_rate}, decaying from {settings.constant_lr_fraction:.0%} of the run "
        f"on to {settings.learning_rate * settings.final_lr_fraction:.0e}",
        f"{1 - share:g} z + {share:g} q",
        f"{settings.random_opening_fraction:.0%} of the games",
        f"{settings.gate_games or 'none'}",
        f"{settings.resign_rate or 'no resignation'}",
        f"{last['minutes']:.0f} minutes",
        "2 processor cores",
    )
    rows = [
        " | ".join(("", row, *columns, own, "")).strip()
        for (row, columns), own in zip(PAPERS.items(), ours, strict=True)
    ]
    note = "\\* only in the pseudocode published with the paper"
    return "\n".join([rows[0], "|" + "---|" * 4, *rows[1:], "", note])
