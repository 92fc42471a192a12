"""The explorer, boards, the play table, plots, and their common colors."""

from azlearn.viz.bandits import Bandit, bandit
from azlearn.viz.boards import board_svg, show_board
from azlearn.viz.comparison import Comparison, compare
from azlearn.viz.controls import with_controls
from azlearn.viz.explorer import Explorer, LiveExplorer, explore, explore_tree
from azlearn.viz.game_review import GameReview, review_game
from azlearn.viz.page_table import play_page
from azlearn.viz.picture import Picture
from azlearn.viz.play_table import PlayTable, play, review
from azlearn.viz.plots import figure, use_style
from azlearn.viz.replaying import replay
from azlearn.viz.tour import Stop
from azlearn.viz.waiting import with_bar

__all__ = [
    "Bandit",
    "Comparison",
    "Explorer",
    "GameReview",
    "LiveExplorer",
    "Picture",
    "PlayTable",
    "Stop",
    "bandit",
    "board_svg",
    "compare",
    "explore",
    "explore_tree",
    "figure",
    "play",
    "play_page",
    "replay",
    "review",
    "review_game",
    "show_board",
    "use_style",
    "with_bar",
    "with_controls",
]
