"""Asks other machines for what models compute: one request over HTTP each.

The server is no part of Ray's cluster. A process that is ends a minute after the cluster's head,
and every visitor's page with it; one that asks over HTTP says so, and goes on.
"""

from typing import Any

import urllib3

from inference import wire
from model.errors import HeadlightError
from model.passes import PATIENCE, BusyError

CONNECTIONS = 64
"""Kept open to ask again; more are opened where more are needed."""

KNOCKING = 3.0
"""Seconds until a machine that takes no connection counts as away."""

FULL = 429
"""HTTP: too many wait already."""


class Elsewhere:
    """Other machines, by the address of what hands the work out among them."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        """Nothing is asked yet.

        Args:
            address: Of Ray Serve, such as ``http://127.0.0.1:8000``.
            patience: Seconds that an answer may take.
        """
        self._patience = patience
        self._pool = urllib3.PoolManager(
            maxsize=CONNECTIONS,
            timeout=urllib3.Timeout(connect=KNOCKING, read=patience),
            retries=False,  # nor is it sent on to another address
        )
        self._address = address

    def ask(self, work: str, model: str, *asked: Any) -> Any:
        """Have some work done (:data:`inference.work.WORK`).

        Args:
            work: Its name.
            model: The model's, as the catalogue has it.
            *asked: What the work is about.

        Raises:
            BusyError: If too many wait there, nobody is there, or it takes too long.
            HeadlightError: What the work itself raises.
        """
        status, data = self._sent(wire.packed((work, model, *asked)))
        if status == FULL:
            raise BusyError(
                "The machines that compute for this server are busy: as many wait for them as "
                "may. Try again in a moment."
            )
        try:
            done, answer = wire.unpacked(data) if status == 200 else (False, None)
        except ValueError as error:
            raise _away() from error
        if done:
            return answer
        if answer is None:
            raise _away()
        message, values = answer
        raise HeadlightError(message, **values)

    def _sent(self, question: bytes) -> tuple[int, bytes]:
        try:
            reply = self._pool.request("POST", self._address, body=question)
        except urllib3.exceptions.ReadTimeoutError as error:
            raise BusyError(
                "The machines that compute for this server are busy: after {seconds:g} seconds "
                "this computation had not ended. Try again in a moment.",
                seconds=self._patience,
            ) from error
        except urllib3.exceptions.HTTPError as error:
            raise _away() from error
        return reply.status, reply.data


def _away() -> BusyError:
    return BusyError(
        "The machines that compute for this server do not answer. Nothing is lost: try again in a "
        "moment."
    )
