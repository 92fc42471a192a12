"""Foreign records and messages: what they say is words, nothing of them runs, a widget goes on."""

import copy
import itertools
import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

import azlearn
from azlearn.course.bug_clinic import Choices
from azlearn.course.doctor import Finding, Report
from azlearn.course.progress_file import Progress, ProgressGrid
from azlearn.course.results import Compared, Hint, Result, Solution
from azlearn.games import ConnectFour, Drawing, TicTacToe
from azlearn.search import MCTS, puct, random_rollout, record_search, uct
from azlearn.viz import Explorer, assets, compare, explore, explore_tree, play

# Each sets a flag where it runs.
SCRIPTS = [
    "<img src=x onerror=window.ran=1>",
    "<script>window.ran=1</script>",
    "</script><script>window.ran=1</script>",
    "</title></svg><img src=x onerror=window.ran=1>",
    '"><img src=x onerror=window.ran=1>',
    '" onfocus=window.ran=1 autofocus tabindex=0 x="',
    "<a href=javascript:window.ran=1 id=link>go</a>",
    "<style>*{display:none}</style>",
    '"/><animate onbegin=window.ran=1 attributeName=x dur=1s>',
    "\u20630\u2063",
    "\ud800",
    "**<b onclick=window.ran=1>●■✕**",
]
SOME = [SCRIPTS[k] for k in (0, 2, -2, -1)]  # for a page each
BY_TEXT = pytest.mark.parametrize("text", SOME)


def saying(text, game=None, select=None):
    """The record of a search in which everything that is written on the page is this text."""
    game = game or TicTacToe()
    search = record_search(game, game.initial_state(), select or uct(1.0), random_rollout(), 12, 0)
    bad = copy.deepcopy(search.to_dict())
    bad["game"] |= {"labels": [text] * game.num_actions, "name": text}
    bad["game"]["drawing"] |= {"players": [text, text], "marks": [text, text]}
    bad["info"] = {"num_simulations": 99, "evaluator": text, "stopped": True}
    bad["__proto__"] = bad["nodes"]["__proto__"] = {"polluted": 1}
    return Explorer(bad, notice=text).record  # as it is sent


# Walks through a widget, and gives what of it is more than words.
WALK = """([esm, states]) => {
  const widget = new Function(esm.replace("export default", "return"))(), found = [];
  for (const state of states) {
    const el = document.createElement("div"), model = { get: name => state[name], set() {}, on() {},
      off() {}, save_changes() {}, send() {} };
    document.body.append(el);
    const end = widget.render({ model, el });
    const pressed = key => new KeyboardEvent("keydown", { key, bubbles: true });
    const press = (on, key) => on?.dispatchEvent(pressed(key));
    const tree = el.querySelector('[data-part="tree"]');
    for (const key of ["Home", ..."123456"]) press(tree, key === "Home" ? key : "ArrowRight");
    for (const key of ["ArrowDown", "c", "/"]) press(tree, key);
    for (const one of el.querySelectorAll("[data-pop], [data-do=icicle], [data-node]")) {
      for (const kind of ["pointerover", "click", "focus"]) {
        one.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
      }
    }
    found.push(...[...el.querySelectorAll("a, iframe, script, img, style, .azl-error")]
      .map(e => e.outerHTML));
    for (const e of el.querySelectorAll("*")) {
      found.push(...[...e.attributes].map(a => a.name).filter(name => name.startsWith("on")));
    }
    if (!el.textContent.trim()) found.push("blank");
    end();
    el.remove();
  }
  return [found, window.ran ?? null, ({}).polluted ?? null];
}"""


def walked(browser, esm, states):
    """What a page without any policy makes of them: there, only the widget holds."""
    page = browser.new_page(viewport={"width": 1000, "height": 700}, reduced_motion="reduce")
    page.set_content("<p>hostile records</p>")
    page.add_style_tag(content=assets.styles("explorer.css", "tree.css", "compare.css", "play.css"))
    found = page.evaluate(WALK, [esm, states])
    page.close()
    return found


def test_nothing_of_a_record_runs(browser):
    records = [saying(text) for text in SCRIPTS]
    records += [saying(text, ConnectFour(), puct(1.2)) for text in SOME]
    states = [{"record": record, "notice": "", "tour": []} for record in records]
    assert walked(browser, assets.module(assets.EXPLORER), states) == [[], None, None]
    both = [
        {"left": record, "right": record, "labels": [text, text], "notice": text, "line": []}
        for text, record in zip(SCRIPTS, records, strict=False)
    ]
    assert walked(browser, assets.module(assets.COMPARE), both) == [[], None, None]


@BY_TEXT
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
    state = json.loads(json.dumps({"view": table.view, "progress": 0.5}))
    assert walked(browser, assets.module(assets.PLAY), [state]) == [[], None, None]


@BY_TEXT
def test_a_file_shows_hostile_words_as_words(browser, tmp_path, text):
    path = tmp_path / "hostile.html"
    Explorer(saying(text), notice=text, tour=[(1, "select", text)]).to_html(path)
    page, said = browser.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    expect(page.locator(".azl-x[data-ready]")).to_be_visible()
    assert page.evaluate("window.ran ?? null") is None
    assert said == []  # not even tried
    page.close()


def test_the_policy_lets_nothing_else_run(browser, tmp_path):
    record, path = saying("a"), tmp_path / "policy.html"
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
    python = Path(azlearn.__file__).parent.rglob("*.py")
    widgets = [path for path in python if "_esm = " in path.read_text(encoding="utf-8")]
    assert len(widgets) > 4
    for path in sorted([*assets.STATIC.glob("*.js"), *widgets]):
        source = path.read_text(encoding="utf-8")
        found = [word for word in forbidden if word in source]
        assert found == (["innerHTML", ".cssText"] if path.name == "dom.js" else []), path.name


@pytest.mark.parametrize("text", SCRIPTS)
def test_no_picture_or_card_takes_a_word_for_markup(text):
    record = saying(text)
    explorer, both = Explorer(record), compare(record, record, (text.replace("\ud800", "a"), "b"))
    row = Compared(text, text, text)
    verdict = Result("3.3", text, "wrong", text, text, rows=(row,), code=text, note=text)
    grid = ProgressGrid(((text, ((text, text, 5),)),), Progress({}, text), ((text, (text,)),))
    for page in (
        explorer._repr_mimebundle_()[0]["text/html"],
        both._repr_mimebundle_()[0]["text/html"],
        explorer.to_svg(),
        both.to_svg(),
        Choices((text,))._repr_html_(),
        Result("Case A", "", "right", text, text, diff=(text,), note=text)._repr_html_(),
        Report((Finding(text, "OK", text, text),))._repr_html_(),
        Hint("3.3", 1, text, text)._repr_html_(),
        Solution("3.3", text, text, note=text)._repr_html_(),
        verdict._repr_html_(),
        grid._repr_html_(),
    ):
        assert "<img src=x" not in page
        assert "<script" not in page


GAME = ConnectFour()
JUNK = [None, True, -1, 1.5, 10**400, float("nan"), "x" * 10_000, [[0]], {"a": 1}]


def live():
    return explore(GAME, num_simulations=20)


WIDGETS = {
    "live": live,
    "tree": lambda: explore_tree(MCTS(GAME, uct(), random_rollout()).run(GAME.initial_state(), 20)),
    "record": lambda: Explorer(live().record),
    "compare": lambda: compare(live(), live()),
    "play": lambda: play(TicTacToe()),
}


@pytest.mark.parametrize("name", WIDGETS)
def test_whatever_the_page_says_is_taken_over_or_answered_with_a_sentence(name):
    widget = WIDGETS[name]()
    widget.send = lambda content, buffers=None: None
    before, notice = widget.get_state(), "error" if hasattr(widget, "error") else "notice"
    for content in ({"do": ["grow"]}, *({"do": "grow", "node": value} for value in JUNK)):
        setattr(widget, notice, "")
        widget._on_message(widget, content, [])
        assert getattr(widget, notice).endswith("."), content
        assert len(getattr(widget, notice)) < 200
    for key, value in itertools.product([*before, "nothing"], JUNK):
        widget.set_state({key: value})
    free = {*widget.SET_BY_PAGE, "notice", "error", "view"}
    after = widget.get_state()
    assert {k: v for k, v in after.items() if k not in free} == {
        k: v for k, v in before.items() if k not in free
    }
