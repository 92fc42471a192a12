"""The tables of ``benchmarks/equal_time.py``, against numbers worked out by hand."""

from benchmarks.equal_time import interval, table


def run(variant: str, seed: int, kept: float) -> dict:
    return {"variant": variant, "seed": seed, "games": 100, "samples": 2000, "kept_alone": kept}


def test_leads_are_taken_seed_by_seed():
    """The leads are 2 and 4; Student's t for two values is 12.706, so ± 12.706 · √2 / √2."""
    runs = [run("a", 0, 0.5), run("a", 1, 0.9), run("b", 1, 0.94), run("b", 0, 0.52)]
    found = {"minutes": 1.0, "variants": {"a": {}, "b": {}, "not run": {}}, "runs": runs}
    means, leads = table(found).split("\n\n")
    assert means.splitlines()[2] == "| a | 2 | 100 | 2,000 | 70.0 ± 254.1 |"
    assert leads.splitlines()[2:] == ["| b | 3.0 ± 12.7 (2 of 2) |"]


def test_a_seed_without_its_partner_does_not_count():
    runs = [run("a", 0, 0.5), run("b", 1, 0.7), run("b", 0, 0.4)]
    found = {"minutes": 1.0, "variants": {"a": {}, "b": {}}, "runs": runs}
    assert table(found).splitlines()[-1] == "| b | -10.0 (0 of 1) |"


def test_a_single_value_has_no_interval():
    assert interval([81.25]) == "81.2"
