"""README, docs and the other pages: their links lead somewhere, their commands exist."""

import re
from pathlib import Path

import pytest
import yaml

from tools.make_site import github_anchor
from tools.notebooks import is_dead_link

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "deploy/README.md"]
PAGES += ["benchmarks/README.md", "azlearn/data/README.md"]
PAGES += sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))
README = (ROOT / "README.md").read_text()
MOST_WORDS = 1300  # in README, code included; the rest belongs in docs/


def prose(name: str) -> str:
    return re.sub(r"```.*?```", "", (ROOT / name).read_text(), flags=re.S)


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere_and_pictures_have_alt_text(name):
    folder = (ROOT / name).parent
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(name))
    assert not [target for target in targets if is_dead_link(target, folder)]
    assert not [target for target in targets if has_dead_anchor(target, ROOT / name)]
    assert all(alt.strip() for alt in re.findall(r"!\[([^\]]*)\]", prose(name)))


def has_dead_anchor(target: str, page: Path) -> bool:
    """Whether a link names a heading that its Markdown page does not have."""
    path, _, anchor = target.partition("#")
    if not anchor or "://" in target or not path.endswith((".md", "")):
        return False
    file = page.parent / path if path else page
    heads = re.findall(r"^#+ (.*)", file.read_text(), re.M) if file.suffix == ".md" else []
    return bool(heads) and anchor not in map(github_anchor, heads)


def test_readme_is_short():
    assert len(re.findall(r"\w[^\s|]*", README)) <= MOST_WORDS


def test_the_chapter_table_and_the_folder_agree():
    named = re.findall(r"^\| \[(\d\d)\]\(notebooks/(\S+?)\) \|", README, re.M)
    assert {file for _, file in named} == {p.name for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert all(file.startswith(number) for number, file in named)
    assert [number for number, _ in named][:4] == ["00", "01", "02", "03"]


def test_readme_shows_the_verdict_on_its_own_answer():
    """The picture's words are in its alt text; the check still says them."""
    from tools.readme_picture import verdict_html

    alt = re.search(r"!\[([^\]]*)\]\(docs/verdict.png\)", README)[1]
    found = re.sub(r"<[^>]*>", "", verdict_html())
    assert "opponent's view of Q" in found.replace("&#x27;", "'")
    assert all(words in alt for words in ("opponent's view of Q", "column 6"))


@pytest.mark.parametrize("name", PAGES)
def test_every_make_target_that_is_named_exists(name):
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    text = (ROOT / name).read_text()
    spans = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^(make .*)$", text, re.M)
    lines = [span for span in spans if re.search(r"\bmake [a-z]", span)]
    named = {
        word
        for line in lines
        for command in re.findall(r"\bmake ((?:[a-z][a-z-]*\s*)+)", line.split("#")[0])
        for word in command.split()
    }
    assert named <= known, f"{name} names targets that are not there: {named - known}"


def test_the_citation_names_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    assert citation["version"] == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
