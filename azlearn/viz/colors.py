"""One colour per quantity, for formulas, text, plots and the explorer alike.

Every text colour has a contrast of at least 4.5 : 1 on its theme's backgrounds, and colour is never
the only sign: a label, a shape or a mark says the same. Hues after Okabe and Ito, "Color Universal
Design" (2008), darkened for text.
"""

LIGHT = {
    "N": "#0072b2",  # visit counts
    "W": "#4d5560",  # value sums
    "Q": "#7a3e9d",  # mean values, W / N
    "U": "#a85300",  # exploration bonus
    "P": "#b0246e",  # prior of a move
    "V": "#5a6900",  # value of a position
    "pi": "#00707a",  # the search's policy
    "z": "#9c2f1b",  # result of a game
}
DARK = {
    "N": "#56b4e9",
    "W": "#b3bcc6",
    "Q": "#c79be8",
    "U": "#f0a04b",
    "P": "#f285b9",
    "V": "#c2cf5c",
    "pi": "#5fd0d8",
    "z": "#f59a86",
}

# Surfaces and marks. `ahead`, `even`, `behind` are the ends and the middle of the scale of Q.
LIGHT_THEME = {
    "bg": "#ffffff",
    "fg": "#1b1f24",
    "mute": "#57606a",
    "line": "#c9d1d9",
    "card": "#f6f8fa",
    "hole": "#e4e8ec",
    "path": "#0a7d55",
    "on-path": "#ffffff",
    "ahead": "#5d3a9b",
    "even": "#e6e6ec",
    "behind": "#e66100",
    "first": "#d7263d",
    "second": "#f2b705",
    "edge": "#b9c2cc",
    "flash": "#fff3a8",
}
DARK_THEME = {
    "bg": "#15191e",
    "fg": "#e6edf3",
    "mute": "#a3adb8",
    "line": "#3a434d",
    "card": "#1f252c",
    "hole": "#323a43",
    "path": "#3ddc97",
    "on-path": "#07130d",
    "ahead": "#a98aec",
    "even": "#4b545e",
    "behind": "#f0802e",
    "first": "#ff5a6e",
    "second": "#ffd24a",
    "edge": "#4a545f",
    "flash": "#3d3500",
}

# Moves side by side (timelines, curves). Neighbours differ in lightness as well as in hue.
MOVES = [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#8c8c8c",
    "#f0e442",
    "#5d3a9b",
]


def mix(low, high, share):
    """The colour ``share`` of the way from ``low`` to ``high`` ("#rrggbb", share in [0, 1])."""
    parts = [
        round(int(low[k : k + 2], 16) * (1 - share) + int(high[k : k + 2], 16) * share)
        for k in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def q_color(value, dark=False):
    """Colour of a mean value in [-1, 1]: purple ahead, orange behind, grey when even."""
    theme = DARK_THEME if dark else LIGHT_THEME
    return mix(
        theme["even"], theme["ahead" if value >= 0 else "behind"], min(1.0, abs(value) * 1.15)
    )


def luminance(color):
    """Relative luminance of "#rrggbb" (WCAG 2.2)."""
    channels = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def ink(background):
    """Black or white, whichever reads better on ``background``."""
    return max(("#ffffff", "#000000"), key=lambda color: contrast(color, background))


def css_variables():
    """Custom properties ``--azl-…``, after JupyterLab's theme, VS Code's, or the system's."""

    def block(selector, quantities, theme):
        rows = [f"--azl-{name}: {value};" for name, value in {**quantities, **theme}.items()]
        return f"{selector} {{ {' '.join(rows)} }}"

    moves = " ".join(f"--azl-move{i}: {color};" for i, color in enumerate(MOVES))
    dark = (
        'body[data-jp-theme-light="false"] .azl, body.vscode-dark .azl, '
        'body[data-md-color-scheme="slate"] .azl, html[data-theme="dark"] .azl'
    )
    system = "body:not([data-jp-theme-light]):not(.vscode-light):not([data-md-color-scheme]) .azl"
    lab = "--azl-bg: var(--jp-layout-color0); --azl-fg: var(--jp-ui-font-color0);"
    return "\n".join(
        [
            block(".azl", LIGHT, LIGHT_THEME),
            f".azl {{ {moves} }}",
            block(dark, DARK, DARK_THEME),
            f"body[data-jp-theme-light] .azl {{ {lab} }}",
            f"@media (prefers-color-scheme: dark) {{ {block(system, DARK, DARK_THEME)} }}",
        ]
    )
