"""Foreign records: refused in a sentence or shown, and nothing of them runs."""

import json
import pathlib

import pytest
from playwright.sync_api import expect

from azlearn.course.clinic_verdicts import Choices, Diagnosis
from azlearn.course.doctor import Finding, Report
from azlearn.course.progress_file import Progress, ProgressGrid
from azlearn.course.results import Compared, Hint, Result, Solution
from azlearn.games import Drawing, TicTacToe
from azlearn.search import MCTS, random_rollout, uct
from azlearn.viz import Explorer, assets, compare, play
from azlearn.viz.record import check
from tests.viz import hostile

# For a page each: an element, one that ends the script it stands in, half a letter, a tour's text.
SOME = [hostile.SCRIPTS[k] for k in (0, 2, -2, -1)]
WALK = (pathlib.Path(__file__).parent / "walk.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sound():
    """(what was done, record as it comes out of JSON) of the records that are not refused."""
    found, said = [], []
    for what, record in hostile.hostile():
        try:
            found.append((what, Explorer(json.loads(json.dumps(record))).record))
        except ValueError as error:
            said.append(str(error))
    assert len(found) > 80
    assert len(said) > 400
    assert all(text.startswith("This ") and text.endswith(".") for text in said)
    return found


def walked(browser, files, records, state="{}"):
    """What a page without any policy makes of the records: there, only the widget holds."""
    page = browser.new_page(viewport={"width": 1000, "height": 700}, reduced_motion="reduce")
    page.set_content("<p>hostile records</p>")
    page.add_style_tag(content=assets.styles("explorer.css", "tree.css", "compare.css"))
    source = assets.module(files).replace("export default", "const widget =")
    page.add_script_tag(content=f"const STATE = {state};\n{source}")
    out = []
    for k in range(0, len(records), 100):
        found = page.evaluate(WALK, [json.dumps(record) for record in records[k : k + 100]])
        assert (found["ran"], found["polluted"]) == (None, None), f"among {k} to {k + 100}"
        out += found["out"]
    page.close()
    return out


def test_nothing_of_a_record_runs(browser, sound):
    seen = walked(browser, assets.EXPLORER, [record for _, record in sound])
    for (what, _), page in zip(sound, seen, strict=True):
        assert page == {"said": "", "blank": False, "thrown": ""}, what


def test_nothing_runs_in_a_comparison(browser, sound):
    some = [record for _, record in sound[::20]]
    labels = json.dumps({"labels": hostile.SCRIPTS[:2], "notice": hostile.SCRIPTS[0]})
    sane = {"said": "", "blank": False, "thrown": ""}
    assert walked(browser, assets.COMPARE, some, labels) == [sane] * len(some)


def test_what_is_shown_has_a_still_picture(sound):
    for _, record in sound[::5]:
        data, _ = Explorer(record)._repr_mimebundle_()
        assert data["image/svg+xml"].startswith("<svg ")


def test_every_sound_record_fits():
    for name, record in hostile.records().items():
        assert check(record) is check(json.loads(json.dumps(record))) is None, name


@pytest.mark.parametrize("text", SOME)
def test_a_file_shows_hostile_words_as_words(browser, tmp_path, text):
    record = hostile.records()["all"]
    record["game"] |= {"labels": [text] * 9, "name": text}
    path = tmp_path / "hostile.html"
    Explorer(record, notice=text, tour=[(1, "select", text)]).to_html(path)
    page, said = browser.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    expect(page.locator(".azl-x[data-ready]")).to_be_visible()
    assert page.evaluate("window.ran ?? null") is None
    assert said == []  # not even tried
    page.close()


def test_the_policy_lets_nothing_else_run(browser, tmp_path):
    record = hostile.records()["uct"]
    path = tmp_path / "policy.html"
    text = compare(record, record, ("a", "b")).to_html()
    bad = "<script>window.ran=1</script><img src=x onerror=window.ran=1>"
    bad += "<style>main{display:none}</style>"
    path.write_text(text.replace("<main>", bad + "<main>"), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    expect(page.locator(".azl-c[data-ready]")).to_be_visible()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<b onclick=window.ran=1>x</b>')")
    page.evaluate("document.querySelector('body > b').click()")
    page.evaluate("setTimeout('window.ran = 1')")
    page.evaluate("() => new Promise(done => setTimeout(done, 20))")  # that one came before
    assert page.evaluate("window.ran ?? null") is None
    page.close()


def test_no_source_makes_markup_of_a_text():
    """Only dom.js writes markup: a template's source, before any value is in it."""
    forbidden = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser",
                 "createContextualFragment", "eval(", "new Function", "srcdoc", "href", ".cssText",
                 'setAttribute("on', 'setAttribute("style"')  # fmt: skip
    for path in sorted(assets.STATIC.glob("*.js")):
        source = path.read_text(encoding="utf-8")
        found = [word for word in forbidden if word in source]
        assert found == (["innerHTML", ".cssText"] if path.name == "dom.js" else []), path.name


@pytest.mark.parametrize("text", SOME)
def test_nothing_runs_at_the_play_table(browser, text):
    """Neither the name of an opponent nor how a game writes its moves, its players and itself."""

    class Named(TicTacToe):
        name = text
        drawing = Drawing(marks=(text, text), players=(text, text))

        def action_label(self, action):
            return text + str(action)

    class First:
        name = text
        num_simulations = 10

        def choose(self, state, rng):
            self.last_tree = MCTS(Named(), uct(), random_rollout()).run(state, 10, rng)
            return Named().legal_actions(state)[0]

    table = play(Named(), First())
    table.play(8)
    table.error = text
    table.show_best()
    page = browser.new_page()
    page.set_content("<p>play</p>")
    source = assets.module(assets.PLAY).replace("export default", "const widget =")
    state = json.dumps({"view": table.view, "progress": 0.5})
    page.add_script_tag(content=f"const STATE = {state};\n{source}")
    (seen,) = page.evaluate(WALK, ["{}"])["out"]
    assert (seen["blank"], seen["thrown"]) == (False, "")
    assert page.evaluate("window.ran ?? null") is None
    page.close()


@pytest.mark.parametrize("text", hostile.SCRIPTS)
def test_no_picture_or_card_takes_a_word_for_markup(text):
    record = hostile.records()["all"]
    record["game"] |= {"labels": [text] * 9, "name": text}
    explorer = Explorer(record)
    both = compare(
        record,
        hostile.records()["all"] | {"game": record["game"]},
        (text.replace("\ud800", "a"), "b"),
    )
    row = Compared(text, text, text)
    verdict = Result("3.3", text, "wrong", text, text, rows=(row,), code=text, note=text)
    grid = ProgressGrid(((text, ((text, text, 5),)),), Progress({}, text), ((text, (text,)),))
    for page in (
        explorer._repr_mimebundle_()[0]["text/html"],
        both._repr_mimebundle_()[0]["text/html"],
        explorer.to_svg(),
        both.to_svg(),
        Choices((text,))._repr_html_(),
        Diagnosis("A", "right", text, text, (), text, text)._repr_html_(),
        Report((Finding(text, "OK", text, text),))._repr_html_(),
        Hint("3.3", 1, text, text)._repr_html_(),
        Solution("3.3", text, text, note=text)._repr_html_(),
        verdict._repr_html_(),
        grid._repr_html_(),
    ):
        assert "<img src=x" not in page
        assert "<script" not in page
