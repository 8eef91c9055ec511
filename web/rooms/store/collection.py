"""The list of what a teacher collects in a room, and the comparison of some of it."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError
from web.rooms.store.rooms import begin_change
from web.rooms.store.tables import Collected, Question, Room

MAX_COLLECTED = 50
"""In one room."""

MAX_COMPARED = 3
"""Side by side: a fourth figure would be too small on a projector."""


def collect_view(database: Database, room: int, label: str, view: str) -> None:
    """Add a view at the end of the list, unless the list has it under the same name.

    Raises:
        RoomError: ``ended``, or ``full_list`` after MAX_COLLECTED.
    """
    with database.write_transaction() as connection:
        begin_change(connection, room)
        _add(connection, room, {"label": label, "view": view})


def collect_results(database: Database, room: int, label: str, question: int) -> None:
    """Add the results of a question, unless the list has them under the same name.

    Args:
        database: The database.
        room: Id of the room.
        label: Name in the list.
        question: Id of a question of the room, which accepts no answers.

    Raises:
        RoomError: ``ended``; ``full_list`` after MAX_COLLECTED; ``bad`` for any other question.
    """
    with database.write_transaction() as connection:
        begin_change(connection, room)
        row: dict[str, Any] = {"label": label, "question": question}
        query = (
            select(Question.state, Room.question)
            .join(Room, Room.id == Question.room)
            .where(Room.id == room, Question.id == question)
        )
        asked = connection.execute(query).first()
        if asked is None or is_open(asked.state, question, asked.question):
            raise RoomError("bad")
        _add(connection, room, row)


def rename_collected(database: Database, room: int, item: int, label: str) -> None:
    """Give an entry of the list another name."""
    with database.write_transaction() as connection:
        begin_change(connection, room)
        own = (Collected.room == room, Collected.id == item)
        connection.execute(update(Collected).where(*own).values(label=label))


def move_collected(database: Database, room: int, item: int, by: int) -> None:
    """Move an entry of the list up (-1) or down (1); at the end of the list it stays."""
    with database.write_transaction() as connection:
        begin_change(connection, room)
        ids = list(connection.execute(_ordered(room, Collected.id)).scalars())
        if item not in ids:
            return
        place = ids.index(item)
        ids.insert(min(max(place + by, 0), len(ids) - 1), ids.pop(place))
        for place, each in enumerate(ids):
            moved = update(Collected).where(Collected.id == each)
            connection.execute(moved.values(place=place))


def remove_collected(database: Database, room: int, item: int) -> None:
    """Remove an entry from the list and from the comparison."""
    with database.write_transaction() as connection:
        begin_change(connection, room)
        own = (Collected.room == room, Collected.id == item)
        connection.execute(delete(Collected).where(*own))


def compare(database: Database, room: int, items: Sequence[int]) -> None:
    """Show entries side by side on the teacher's devices, in the order of the list.

    Args:
        database: The database.
        room: Id of the room.
        items: Ids of entries; none closes the comparison.

    Raises:
        RoomError: ``ended``, or ``bad`` for more than MAX_COMPARED.
    """
    if len(items) > MAX_COMPARED:
        raise RoomError("bad")
    with database.write_transaction() as connection:
        begin_change(connection, room)
        own = update(Collected).where(Collected.room == room)
        connection.execute(own.values(shown=Collected.id.in_(items)))


def load_collection(database: Database, room: int) -> list[dict[str, Any]]:
    """Return the list: ``id``, ``label``, ``view`` and ``question`` of each entry, in order."""
    columns = (Collected.id, Collected.label, Collected.view, Collected.question)
    with database.single_query() as connection:
        rows = connection.execute(_ordered(room, *columns))
        return [dict(row._mapping) for row in rows]


def is_open(state: str, question: int, current: int | None) -> bool:
    """Whether a question accepts answers, by its state and the room's current question."""
    return state == "open" and question == current


def _add(connection: Connection, room: int, row: dict[str, Any]) -> None:
    every = {"view": None, "question": None, "round": None, "student": None, **row, "room": room}
    same = [getattr(Collected, name) == value for name, value in every.items()]
    if connection.execute(select(Collected.id).where(*same)).first():
        return
    query = select(func.count(), func.max(Collected.place)).where(Collected.room == room)
    count, last = connection.execute(query).one()
    if count >= MAX_COLLECTED:
        raise RoomError("full_list")
    connection.execute(insert(Collected).values(**every, place=0 if last is None else last + 1))


def _ordered(room: int, *columns: Any) -> Select[Any]:
    found = select(*columns).where(Collected.room == room)
    return cast("Select[Any]", found.order_by(Collected.place))
