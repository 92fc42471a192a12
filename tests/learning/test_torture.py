"""Forty kills of many kinds; `make torture` makes a thousand."""

from time import monotonic

import pytest

from tests.torture import as_text, faults_of, small_disk, torture


@pytest.mark.slow
def test_forty_kills_lose_nothing_but_a_moment(record_property):
    started = monotonic()
    with small_disk() as disk:
        table = torture(40, 0, disk)
    print(as_text(table, monotonic() - started))
    record_property("kills", sum(row.kills for row in table.values()))
    assert faults_of(table) == []
    assert max(row.lost for row in table.values()) <= 2  # its checkpoint was being written
    assert len(table) >= 6
