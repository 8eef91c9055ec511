"""What is kept: rooms, questions, answers, and of a student a random token's hash.

Times are seconds since 1970, which every database keeps alike.
"""

from typing import Any

from sqlalchemy import JSON, ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

VERSION = 1
"""Of these tables; another one is not read."""


def _room() -> Mapped[int]:
    return mapped_column(ForeignKey("rooms.id", ondelete="CASCADE"), index=True)


class Base(DeclarativeBase):
    """All tables."""


class About(Base):
    """One row: which version the tables are of."""

    __tablename__ = "headlight"
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class Room(Base):
    """A room, and what its screens show.

    Attributes:
        teacher: The teacher's token, hashed.
        view: An address of this site.
        view_change: Counts up with each view.
        question: On the screens now.
        changes: Counts up with everything that a screen could show.
    """

    __tablename__ = "rooms"
    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(16), unique=True)
    teacher: Mapped[bytes] = mapped_column(LargeBinary)
    ends: Mapped[float]
    ended: Mapped[bool] = mapped_column(default=False)
    locked: Mapped[bool] = mapped_column(default=False)
    view: Mapped[str | None] = mapped_column(Text)
    view_change: Mapped[int] = mapped_column(default=0)
    question: Mapped[int | None]
    changes: Mapped[int] = mapped_column(default=0)


class Student(Base):
    """Somebody in a room: a token, hashed, and nothing else."""

    __tablename__ = "students"
    __table_args__ = (UniqueConstraint("room", "token"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    room: Mapped[int] = _room()
    token: Mapped[bytes] = mapped_column(LargeBinary)


class Question(Base):
    """A question that was asked.

    Attributes:
        view: The address that it is asked from.
        items: What everybody may see of it.
        truth: What nobody may see before the reveal.
        round: Of its votes, from 1.
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
    revealed: Mapped[bool] = mapped_column(default=False)


class Answer(Base):
    """A student's answer: one in each round."""

    __tablename__ = "answers"
    __table_args__ = (UniqueConstraint("question", "round", "student"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    question: Mapped[int] = mapped_column(ForeignKey("questions.id", ondelete="CASCADE"))
    round: Mapped[int]
    student: Mapped[int] = mapped_column(ForeignKey("students.id", ondelete="CASCADE"), index=True)
    answer: Mapped[Any] = mapped_column(JSON)
    given: Mapped[float]


class Presence(Base):
    """How many students a server process is connected to, as it last said.

    Attributes:
        process: The name of its desk, its number, and of its machine.
    """

    __tablename__ = "presence"
    room: Mapped[int] = mapped_column(
        ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    process: Mapped[str] = mapped_column(String(100), primary_key=True)
    connected: Mapped[int]
    seen: Mapped[float]
