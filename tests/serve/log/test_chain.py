"""The digests of a page: every damage is found, with the position of the first bad event."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from driftline.serve.chain import MANY, SIZE, SMALL, START, chain_of, checked, digest_of, digests_of, next_page
from driftline.serve.storage.storage import DamagedError, Page

EVENTS = [b"event %d" % k for k in range(MANY)]


def read(page: Page) -> list[Any]:
    return [event for one in checked([page], 1) for event in one.events]


def rechained(page: Page) -> Page:
    return replace(page, chain=chain_of(START, 1, page.first, page.last, page.digests))


@pytest.mark.parametrize(
    ("events", "digests"), [(EVENTS, MANY + 1), (EVENTS[1:], MANY - 1), ([bytes(SMALL)] * MANY, MANY)]
)
def test_a_page_of_many_small_events_has_a_digest_of_all(events: list[bytes], digests: int) -> None:
    page = next_page(1, (0, START), events)
    assert len(page.digests) == SIZE * digests and page.digests.startswith(digests_of(events))
    assert read(page) == events
    removed = [None if k == 3 else event for k, event in enumerate(events)]
    assert read(replace(page, events=removed)) == removed
    for changed in ([*events[:5], b"x", *events[6:]], [*removed[:5], b"x", *removed[6:]]):
        with pytest.raises(DamagedError, match="changed event 6") as found:
            read(replace(page, events=changed))
        assert found.value.position == 6


def test_pages_of_earlier_versions_have_no_digest_of_all() -> None:
    page = next_page(1, (0, START), EVENTS)
    assert read(rechained(replace(page, digests=page.digests[:-SIZE]))) == EVENTS


def test_a_wrong_digest_of_all_is_damage() -> None:
    page = next_page(1, (0, START), EVENTS)
    with pytest.raises(DamagedError, match="another digest of the page 1"):
        read(rechained(replace(page, digests=page.digests[:-SIZE] + bytes(SIZE))))
    with pytest.raises(DamagedError, match="hash chain"):
        read(rechained(replace(page, digests=page.digests + bytes(SIZE))))


@pytest.mark.parametrize("size", [0, 1, 2047, 2048, 4094, 10_000])
def test_the_digest_of_an_event_does_not_depend_on_the_pieces(size: int) -> None:
    event = bytes(k % 251 for k in range(size))
    assert digest_of(event) == sha256(event).digest()
