"""HTTP client for operations on other machines.

The server does not join Ray's cluster: a member process exits a minute after the cluster's head
dies, with all its pages. An HTTP client reports an error and continues.
"""

from typing import Any

import urllib3

from model.errors import HeadlightError
from web.inference import wire_format
from web.inference.forward_queue import TIMEOUT, BusyError

CONNECTIONS = 64
"""Connections kept open for reuse; more are opened when needed."""

CONNECT_TIMEOUT = 3.0
"""Seconds until a server that accepts no connection counts as not available."""

TOO_MANY_REQUESTS = 429
"""HTTP status of a full queue."""


class RemoteClient:
    """Client of a Ray Serve application."""

    def __init__(self, address: str, timeout: float = TIMEOUT) -> None:
        """Create the client; it connects at the first call.

        Args:
            address: URL of Ray Serve, such as ``http://127.0.0.1:8000``.
            timeout: Seconds that a response may take.
        """
        self._timeout = timeout
        self._pool = urllib3.PoolManager(
            maxsize=CONNECTIONS,
            timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT, read=timeout),
            retries=False,  # no redirects either
        )
        self._address = address

    def call(self, operation: str, model: str, *args: Any) -> Any:
        """Execute an operation (:data:`web.inference.operations.OPERATIONS`).

        Args:
            operation: Its name.
            model: Name of the model in the catalogue.
            *args: Further arguments of the operation.

        Raises:
            BusyError: If the remote queue is full, or the server not available or too slow.
            HeadlightError: As the operation raises it.
        """
        status, data = self._post(wire_format.pack((operation, model, *args)))
        if status == TOO_MANY_REQUESTS:
            raise BusyError("The machines that run the models are busy. Try again in a moment.")
        try:
            succeeded, result = wire_format.unpack(data) if status == 200 else (False, None)
        except ValueError as error:
            raise _not_available() from error
        if succeeded:
            return result
        if result is None:
            raise _not_available()
        message, values = result
        raise HeadlightError(message, **values)

    def _post(self, body: bytes) -> tuple[int, bytes]:
        try:
            response = self._pool.request("POST", self._address, body=body)
        except urllib3.exceptions.ReadTimeoutError as error:
            raise BusyError(
                "The machines that run the models did not finish within {seconds:g} seconds. Try "
                "again in a moment.",
                seconds=self._timeout,
            ) from error
        except urllib3.exceptions.HTTPError as error:
            raise _not_available() from error
        return response.status, response.data


def _not_available() -> BusyError:
    return BusyError(
        "The machines that run the models do not respond. Your text is not lost. Try again in a "
        "moment."
    )
