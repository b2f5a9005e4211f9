"""The text of the options, which caches and checkpoints store, does not change when an option is added."""

from __future__ import annotations

from dataclasses import dataclass, fields

from driftline.streams.files.options import ALWAYS_SHOWN, ReadOptions


@dataclass(frozen=True, repr=False)
class Newer(ReadOptions):
    """The options of a later version."""

    missing: tuple[str, ...] = ()
    header: bool = True


def test_the_options_of_the_first_version_are_always_shown() -> None:
    """The text of version 0.1.0, to the letter."""
    assert repr(ReadOptions()) == ("ReadOptions(target=None, drop=(), time=None, text=(), ngrams=1, labelled=True)")
    assert repr(ReadOptions("y", ("a",), "at", ("t",), 2, False)) == (
        "ReadOptions(target='y', drop=('a',), time='at', text=('t',), ngrams=2, labelled=False)"
    )


def test_a_newer_option_is_shown_if_it_is_set() -> None:
    assert repr(Newer("y")) == repr(ReadOptions("y"))
    assert repr(Newer("y", header=False)) == f"{repr(ReadOptions('y'))[:-1]}, header=False)"
    every = [Newer(), Newer(missing=("?",)), Newer(header=False), Newer(missing=("?",), header=False), Newer("y")]
    assert len({repr(one) for one in every}) == len(every)


def test_every_option_has_a_default_and_the_first_ones_stay() -> None:
    assert tuple(one.name for one in fields(ReadOptions))[: len(ALWAYS_SHOWN)] == ALWAYS_SHOWN
    assert ReadOptions() == ReadOptions(**{name: getattr(ReadOptions(), name) for name in ALWAYS_SHOWN})
