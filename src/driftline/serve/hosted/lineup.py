"""The contenders of a model: they answer the same examples and learn the same labels.

The champion comes first. Its errors are those of the call; a challenger that refuses an example or
a label goes on without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from driftline.encode.faults import shortened
from driftline.serve.errors import Conflict, UnknownContender
from driftline.serve.hosted.checks import checked_id
from driftline.serve.hosted.contender import Contender, learner_of
from driftline.serve.hosted.scoreboard import Scoreboard
from driftline.serve.log.events import Answer, Asked, ContenderAdded, ContenderRemoved, Imported, Learned, Promoted
from driftline.serve.spec import Example, Label, Spec


class Lineup:
    """The champion and the challengers.

    Parameters
    ----------
    window
        The number of labelled rounds that a scoreboard keeps.

    Attributes
    ----------
    all
        The champion, then the challengers.
    next_number
        The number of the next contender.
    """

    def __init__(self, window: int) -> None:
        self.window = window
        self.all: list[Contender] = []
        self.next_number = 0

    # rounds ------------------------------------------------------------------------------------
    def answers(self, x: Example, keep_records: bool) -> list[Answer]:
        """The answers of all contenders; ValueError if the champion refuses the example."""
        answers = [self.all[0].answer(x, keep_records)]
        for challenger in self.all[1:]:
            with suppress(ValueError):
                answers.append(challenger.answer(x, keep_records))
        return answers

    def open_rounds(self, x: Example, answers: list[Answer]) -> list[Answer]:
        """Do what asking does to the learners; return the answers, which then say who wants the label."""
        if len(self.all) == 1 and answers[0].record is None and not self.all[0].asks:
            return answers
        found = []
        for contender, answer in self._matched(answers):
            if contender.open_round(x, answer):
                found.append(answer)
            else:
                found.append(Answer(answer.by, answer.label, answer.shares, answer.score, None, False))
        return found

    def _matched(self, answers: list[Answer]) -> Iterator[tuple[Contender, Answer]]:
        """The contenders that gave answers, with these."""
        by = {answer.by: answer for answer in answers}
        return ((one, by[one.number]) for one in self.all if one.number in by)

    def count_asked(self, answers: list[Answer], at: float) -> None:
        """Count a ticket on all scoreboards."""
        if len(self.all) == 1:
            self.all[0].board.count_asked(at)
            return
        answered = {answer.by for answer in answers}
        for one in self.all:
            (one.board.count_asked if one.number in answered else one.board.count_refused)(at)

    def learn_label(self, asked: Asked, y: Label, at: float) -> None:
        """Learn the label of a ticket; ValueError if the champion refuses it."""
        by = {answer.by: answer for answer in asked.answers}
        for place, one in enumerate(self.all):
            answer = by.get(one.number)
            try:
                one.learn(asked, answer, y)
            except ValueError:
                if place == 0:
                    raise
                one.board.count_refused(at)
            else:
                if answer is not None:
                    one.board.judge(answer, y, at, at - asked.at)

    def learn_example(self, event: Learned) -> None:
        """Learn an example with its label; ValueError if the champion refuses it."""
        by = {answer.by: answer for answer in event.answers}
        for place, one in enumerate(self.all):
            answer = by.get(one.number)
            try:
                one.learner.learn_one(event.x, event.y)
            except ValueError:
                if place == 0:
                    raise
                one.board.count_refused(event.at)
            else:
                if answer is not None:
                    one.board.judge(answer, event.y, event.at, None)

    # changes -----------------------------------------------------------------------------------
    def add(self, name: str, spec: Spec, model: bytes | None) -> None:
        """Add a contender; ValueError if the library refuses the spec or the saved learner."""
        learner = learner_of(spec, model)
        regresses = learner.rule.regresses
        if self.all and regresses != self.all[0].board.regresses:
            raise ValueError("challenger: a challenger must predict what the champion predicts, got another task")
        board = Scoreboard(self.window, regresses)
        self.all.append(Contender(self.next_number, name, spec, learner, board))
        self.next_number += 1

    def named(self, name: str | None) -> Contender:
        """The contender of a name; None is the champion. UnknownContender if there is none."""
        for one in self.all:
            if name is None or one.name == name:
                return one
        names = ", ".join(one.name for one in self.all)
        raise UnknownContender(f"contender: name must be one of {names}, got {shortened(name)}. Choose one of them")

    def add_challenger(self, event: ContenderAdded) -> None:
        """Add a challenger with a new name."""
        checked_id(event.name)
        if any(one.name == event.name for one in self.all):
            raise Conflict(f"challenger: name must be new, got {shortened(event.name)}. Choose another name")
        self.add(event.name, event.spec, event.model)

    def remove(self, event: ContenderRemoved) -> None:
        """Remove a challenger."""
        self.all.remove(self._challenger(event.name))

    def promote(self, event: Promoted) -> None:
        """Exchange the champion and a challenger."""
        place = self.all.index(self._challenger(event.name))
        self.all[0], self.all[place] = self.all[place], self.all[0]

    def _challenger(self, name: str) -> Contender:
        one = self.named(name)
        if one is self.all[0]:
            raise Conflict(f"challenger: name must be that of a challenger, got the champion {name!r}")
        return one

    def replace_learner(self, event: Imported) -> None:
        """Give the champion a saved learner."""
        champion = self.all[0]
        learner = learner_of(champion.spec, event.model)
        if learner.rule.regresses != champion.board.regresses:
            raise ValueError("import: the model must predict what the champion predicts, got another task")
        champion.learner = learner
