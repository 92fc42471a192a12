"""Colors for formulas, text, plots, boards and the explorer; each color has one meaning.

Red and yellow stand for the players, blue for the path of a simulation, teal for a value above 0,
and purple for a value below 0. Visits are shown by widths and dark numbers, and the exploration
bonus by gray hatching. Every text color has a contrast of at least 4.5 : 1 on its theme's
backgrounds, and color is never the only sign: a label, a shape or a mark has the same meaning.
"""

# Quantities: (on a light page, on a dark page).
_QUANTITIES = {
    "N": ("#1f3a5f", "#d5e2f2"),  # visit counts
    "W": ("#6b5a48", "#c8b8a4"),  # value sums
    "Q": ("#0a6f76", "#7fe8c8"),  # mean values, W / N
    "U": ("#646f7b", "#a6b1bc"),  # exploration bonus
    "P": ("#3c7318", "#a4d37e"),  # prior of a move
    "V": ("#8a4b14", "#e3ab7b"),  # value of a position
    "pi": ("#5b4fb3", "#a9a9ff"),  # the search's policy
    "z": ("#7a2f5c", "#ffb3d1"),  # result of a game
}
# Surfaces and marks. `ahead`, `even` and `behind` are the colors of Q = 1, 0 and -1.
_SURFACES = {
    "bg": ("#ffffff", "#14181d"),
    "fg": ("#1a1f25", "#e9eef3"),
    "mute": ("#535d68", "#a6b1bc"),
    "line": ("#cbd2d9", "#3a434d"),
    "card": ("#f5f7f9", "#1b2127"),
    "hole": ("#e2e7ec", "#2c343d"),
    "press": ("#e9edf2", "#2a323b"),  # a button under the pointer
    "path": ("#0b57ea", "#4590fb"),  # the path of this simulation, and chosen items
    "on-path": ("#ffffff", "#0d1319"),
    "ahead": ("#0a6f76", "#7fe8c8"),
    "even": ("#eef1f4", "#262d35"),
    "behind": ("#8f2aa3", "#c994d1"),
    "first": ("#d42a3f", "#ff5566"),
    "first-rim": ("#8d1526", "#ffb3ba"),
    "on-first": ("#ffffff", "#14090b"),
    "second": ("#f4bd17", "#ffd23f"),
    "second-rim": ("#765400", "#fff0b8"),
    "on-second": ("#1a1f25", "#1a1f25"),
    "edge": ("#8792a0", "#667380"),
    "hatch": ("#4d5864", "#a6b1bc"),  # the lines of the bonus U
    "band0": ("#ccd4dc", "#3e4954"),  # moves on a timeline, alternating
    "band1": ("#e3e8ed", "#2b343d"),
    "shadow": ("#1a1f2533", "#000000aa"),
    "wood": ("#ead7ad", "#a5834f"),  # the background of a board of crossings
    "grain": ("#5c4520", "#241808"),  # the lines and text on it
}
BOTH = _SURFACES | _QUANTITIES
LIGHT, DARK = ({name: pair[k] for name, pair in _QUANTITIES.items()} for k in (0, 1))
LIGHT_THEME, DARK_THEME = ({name: pair[k] for name, pair in _SURFACES.items()} for k in (0, 1))

# The stones on a board of crossings: black and white in both themes.
STONES = {
    "first": "#16191d",
    "first-rim": "#7d8894",
    "on-first": "#ffffff",
    "second": "#fdfdfd",
    "second-rim": "#7d8894",
    "on-second": "#1a1f25",
}

# For drawings that follow the page's theme: the light and the dark color joined in one string.
# themes.themed and themes.light replace such a string by a color.
PAIRS = {name: "".join(pair) for name, pair in BOTH.items()}

# Colors for the moves or runs in one plot. Adjacent colors differ in lightness as well as in hue,
# and none is a player's red or yellow.
MOVES = [
    "#24507f",
    "#c98a4b",
    "#3f7d4f",
    "#8fb3d9",
    "#7b4a2d",
    "#9a8fc4",
    "#6b7680",
    "#a8c58a",
    "#3b3560",
]


def mix(low, high, share):
    """Mixes two colors "#rrggbb": ``low`` at share 0, ``high`` at share 1."""
    parts = [
        round(int(low[k : k + 2], 16) * (1 - share) + int(high[k : k + 2], 16) * share)
        for k in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def q_color(value, dark=False):
    """The color of a mean value in [-1, 1]: teal above 0, purple below 0, gray at 0."""
    theme = DARK_THEME if dark else LIGHT_THEME
    return mix(
        theme["even"], theme["ahead" if value >= 0 else "behind"], min(1.0, abs(value) * 1.15)
    )


def q_pair(value):
    """``q_color`` for both themes, as in ``PAIRS``."""
    return q_color(value) + q_color(value, dark=True)


def mix_pair(low, high, share):
    """``mix`` of two pairs, for each theme."""
    return mix(low[:7], high[:7], share) + mix(low[7:], high[7:], share)


def ink_pair(background):
    """``ink`` on a pair, for each theme."""
    return ink(background[:7]) + ink(background[7:])


def luminance(color):
    """Relative luminance of "#rrggbb" (WCAG 2.2)."""
    channels = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Contrast ratio of two colors, 1 to 21 (WCAG 2.2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def ink(background):
    """Black or white, whichever has more contrast with ``background``."""
    return max(("#ffffff", "#000000"), key=lambda color: contrast(color, background))


def css_variables():
    """CSS properties ``--azl-…`` that follow the theme of JupyterLab, VS Code or the system."""

    def block(selector, quantities, theme):
        rows = [f"--azl-{name}: {value};" for name, value in {**quantities, **theme}.items()]
        return f"{selector} {{ {' '.join(rows)} }}"

    dark = (
        'body[data-jp-theme-light="false"] .azl, body.vscode-dark .azl, '
        'body[data-md-color-scheme="slate"] .azl, html[data-theme="dark"] .azl'
    )
    system = "body:not([data-jp-theme-light]):not(.vscode-light):not([data-md-color-scheme]) .azl"
    stones = " ".join(f"--azl-{name}: {value} !important;" for name, value in STONES.items())
    lab = "--azl-bg: var(--jp-layout-color0); --azl-fg: var(--jp-ui-font-color0);"
    return "\n".join(
        [
            block(".azl", LIGHT, LIGHT_THEME),
            block(dark, DARK, DARK_THEME),
            f"body[data-jp-theme-light] .azl {{ {lab} }}",
            f"@media (prefers-color-scheme: dark) {{ {block(system, DARK, DARK_THEME)} }}",
            f'.azl[data-field="crossings"] {{ {stones} }}',
        ]
    )
