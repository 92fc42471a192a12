"""README and its companions: links that lead somewhere, commands that exist, nothing promised."""

import re
from pathlib import Path

import pytest
import yaml

from tools.notebooks import is_dead_link

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
README = (ROOT / "README.md").read_text()


def prose(name: str) -> str:
    return re.sub(r"```.*?```", "", (ROOT / name).read_text(), flags=re.S)


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere_and_pictures_have_alt_text(name):
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(name))
    assert not [target for target in targets if is_dead_link(target, ROOT)]
    assert all(alt.strip() for alt in re.findall(r"!\[([^\]]*)\]", prose(name)))


def test_the_chapter_table_and_the_folder_agree():
    named = re.findall(r"^\| \[(\d\d)\]\(notebooks/(\S+?)\) \|", README, re.M)
    assert {file for _, file in named} == {p.name for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert all(file.startswith(number) for number, file in named)
    assert [number for number, _ in named][:4] == ["00", "01", "02", "03"]


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
