"""The address at which other devices reach this server."""

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from web import settings

_UNUSED = {4: "192.0.2.1", 6: "2001:db8::1"}
"""Addresses for documentation (RFC 5737, RFC 3849): nothing is sent to them."""


def reachable_host() -> str | None:
    """Host name or IP address for other devices; None if the server is bound to loopback."""
    bound = settings.now().address
    if settings.is_loopback(bound):
        return None
    address = settings.ip(bound)
    if address is None:
        return bound
    if address.is_unspecified:
        try:
            address = ip_address(_default_route_address(address.version))
        except OSError:  # no default route
            return socket.gethostname()
    return f"[{address}]" if address.version == 6 else str(address)


def share_url(url: str) -> str | None:
    """The URL of the same page for another device; None if no other device can open it.

    ``url`` is the one in the visitor's browser, which may use a loopback address.
    """
    parts = urlsplit(url)
    if not settings.is_loopback(parts.hostname or ""):
        return url
    host = reachable_host()
    if host is None:
        return None
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=host + port).geturl()


def _default_route_address(version: int) -> str:
    """This machine's address on the network of its default route."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((_UNUSED[version], 9))
        return str(probe.getsockname()[0])
