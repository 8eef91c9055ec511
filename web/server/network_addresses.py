"""Addresses at which other devices reach this server."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

import psutil

from web import settings

_UNUSED = {4: "192.0.2.1", 6: "2001:db8::1"}
"""Addresses for documentation (RFC 5737, RFC 3849): nothing is sent to them."""


def reachable_addresses() -> list[str]:
    """Host names or IP addresses for other devices, the most likely first, as URLs write them.

    Returns:
        An empty list if the server is bound to the loopback interface.
    """
    bound = settings.now().address
    if settings.is_loopback(bound):
        return []
    try:
        address = ip_address(bound)
    except ValueError:
        return [bound]
    if not address.is_unspecified:
        return [_url_host(address)]
    default = _default_route_address(address.version)
    # The others may be bridges of virtual machines, which no other device can reach.
    interfaces = sorted(
        _interface_addresses(address.version), key=lambda each: (each != default, int(each))
    )
    return [_url_host(each) for each in interfaces]


def share_url(url: str) -> str | None:
    """The URL of the same page for another device.

    Args:
        url: URL in the visitor's browser, which may use a loopback address.

    Returns:
        The same URL unless its host is a loopback address; None if no other device can open it.
    """
    parts = urlsplit(url)
    if not settings.is_loopback(parts.hostname or ""):
        return url
    addresses = reachable_addresses()
    if not addresses:
        return None
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=addresses[0] + port).geturl()


def _interface_addresses(version: int) -> list[IPv4Address | IPv6Address]:
    """Addresses of this machine's interfaces: 0.0.0.0 serves IPv4 only, and :: IPv6 only."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    found = [
        ip_address(each.address.partition("%")[0])
        for interface in psutil.net_if_addrs().values()
        for each in interface
        if each.family == family
    ]
    return [each for each in found if not each.is_loopback and not each.is_link_local]


def _default_route_address(version: int) -> IPv4Address | IPv6Address | None:
    """This machine's address on the network of its default route; None without one."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_UNUSED[version], 9))
            return ip_address(probe.getsockname()[0])
    except OSError:
        return None


def _url_host(address: IPv4Address | IPv6Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)
