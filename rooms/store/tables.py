"""Tables of the database: rooms, students, work on lessons, questions, answers.

Times are in seconds since 1970, which every database stores the same way. A student is a hashed
random token.
"""

from typing import Any

from sqlalchemy import JSON, ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

VERSION = 9
"""Of the tables. A database of another version is refused."""


def _room() -> Mapped[int]:
    return mapped_column(ForeignKey("rooms.id", ondelete="CASCADE"), index=True)


class Base(DeclarativeBase):
    """Base class of the tables."""


class About(Base):
    """One row with the version of the tables."""

    __tablename__ = "headlight"
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class Room(Base):
    """A room and its current state.

    Attributes:
        teacher: Hash of the teacher's token.
        mode: One of MODES in rooms.py.
        view: The teacher's view, as a path with a query string.
        view_change: Incremented with each view.
        plan: The lesson that the class works on: its name, its title, and the view of each step.
        step: The open step of the lesson, from 1; None if all steps are open.
        changes: Incremented with every change that a browser can show.
    """

    __tablename__ = "rooms"
    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(16), unique=True)
    teacher: Mapped[bytes] = mapped_column(LargeBinary)
    ends: Mapped[float]
    mode: Mapped[str] = mapped_column(String(16), default="follow")
    view: Mapped[str | None] = mapped_column(Text)
    view_change: Mapped[int] = mapped_column(default=0)
    plan: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    step: Mapped[int | None]
    question: Mapped[int | None]
    changes: Mapped[int] = mapped_column(default=0)


class Student(Base):
    """A student of a room; the token is a hash."""

    __tablename__ = "students"
    __table_args__ = (UniqueConstraint("room", "token"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    room: Mapped[int] = _room()
    token: Mapped[bytes] = mapped_column(LargeBinary)


class Work(Base):
    """A student's first answer to a step of a lesson; the step counts from 1."""

    __tablename__ = "work"
    __table_args__ = (UniqueConstraint("student", "lesson", "step"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    room: Mapped[int] = _room()
    student: Mapped[int] = mapped_column(ForeignKey("students.id", ondelete="CASCADE"))
    lesson: Mapped[str] = mapped_column(String(80))
    step: Mapped[int]
    answer: Mapped[str] = mapped_column(String(80))
    right: Mapped[bool]
    given: Mapped[float]


class RoomQuestion(Base):
    """A question of a room.

    Attributes:
        view: The view that it is about.
        items: What every browser may show.
        truth: The right answers and the model's numbers, hidden until the reveal.
        round: Current round, from 1.
        state: "open" while it accepts answers, "stopped", or "revealed".
    """

    __tablename__ = "questions"
    id: Mapped[int] = mapped_column(primary_key=True)
    room: Mapped[int] = _room()
    kind: Mapped[str] = mapped_column(String(16))
    prompt: Mapped[str] = mapped_column(Text)
    view: Mapped[str | None] = mapped_column(Text)
    items: Mapped[dict[str, Any]] = mapped_column(JSON)
    truth: Mapped[dict[str, Any]] = mapped_column(JSON)
    round: Mapped[int] = mapped_column(default=1)
    state: Mapped[str] = mapped_column(String(16), default="open")


class Answer(Base):
    """A student's answer, one for each round."""

    __tablename__ = "answers"
    __table_args__ = (UniqueConstraint("question", "round", "student"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    question: Mapped[int] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"))
    round: Mapped[int]
    student: Mapped[int] = mapped_column(ForeignKey("students.id", ondelete="CASCADE"), index=True)
    answer: Mapped[Any] = mapped_column(JSON)
    given: Mapped[float]
