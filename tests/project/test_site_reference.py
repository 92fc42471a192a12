"""Which code words of the site become links to the reference."""

import pytest

from tools.site_reference import public_name

NAMES = ("MCTS", "MCTS.run", "Game", "Game.play", "play", "elo", "random_rollout")
PLACES = {name: ("reference/page", name) for name in NAMES}
CODE = (
    "from azlearn.arena import elo  # Elo\nfrom azlearn.viz import (\n    explore,\n    play,\n)\n"
)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("MCTS", "MCTS"),
        ("MCTS(game, uct(c), random_rollout())", "MCTS"),
        ("MCTS.run", "MCTS.run"),
        ("azlearn.search.MCTS", "MCTS"),
        ("random_rollout", "random_rollout"),
        ("elo(matches)", "elo"),
        ("azlearn.viz.play", "play"),
        ("play", None),  # imported, but a Game has a method of that name
        ("MCTS.nothing", None),
        ("mcts.py", None),
        ("2 * elo", None),
    ],
)
def test_public_name(word, name):
    assert public_name(word, CODE, PLACES) == name


def test_a_lowercase_word_needs_an_import_or_a_call_in_the_reference():
    assert public_name("elo", "", PLACES) is None
    assert public_name("elo()", "", PLACES) is None
    assert public_name("elo", "", PLACES, in_reference=True) is None
    assert public_name("elo()", "", PLACES, in_reference=True) == "elo"


def test_a_name_that_the_page_defines_is_its_own():
    assert public_name("MCTS", "class MCTS:\n    pass", PLACES) is None
    assert public_name("random_rollout", "def random_rollout(game): ...", PLACES) is None
