"""A rule whose scores are no sum of Q and a bonus, with −∞ for moves whose turn it is not."""

from azlearn.games import TicTacToe
from azlearn.search import Evaluation, gumbel
from azlearn.viz import compare, explore
from tests.viz.page import part

GAME = TicTacToe()


def corners_first(game, state, rng):
    """A prior that likes corners; every position is even."""
    weights = [2.0 - cell % 2 if cell in game.legal_actions(state) else 0.0 for cell in range(9)]
    return Evaluation([weight / sum(weights) for weight in weights], 0.0)


def test_it_is_named_and_its_scores_are_not_split(opened):
    search = explore(
        GAME, GAME.initial_state(), select=gumbel(4), evaluate=corners_first, num_simulations=30
    )
    assert search.record["rule"] == {"name": "custom", "label": "Gumbel", "adds": False}
    search.step, search.phase = 30, "select"
    page = opened(search)
    assert part(page, "settings").text_content().startswith("Gumbel")
    said = part(page, "panel").text_content()
    assert "as recorded: no sum of Q and a bonus" in said
    assert "part by part" not in said
    scores = page.locator(".azl-sc").all_text_contents()
    assert scores[-1] == "−∞"
    assert "All others have the score −∞" in page.locator(".azl-x").text_content()
    visits = [int(n) for n in page.locator("td.azl-cN").all_text_contents()]
    out = [n for n, score in zip(visits, scores, strict=True) if score == "−∞"]
    assert out == sorted(out, reverse=True)
    other = explore(GAME, GAME.initial_state(), num_simulations=30)
    assert any("Gumbel" in label for label in compare(search, other).labels)
