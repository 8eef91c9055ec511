"""How others get to this server: the addresses that it has on the network."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

import psutil

from pages.shared import settings

_NOWHERE = {4: "192.0.2.1", 6: "2001:db8::1"}
"""Addresses kept for documentation (RFC 5737, RFC 3849): asked for the way to, never sent to."""


def reachable_addresses() -> list[str]:
    """Host names or numbers under which others find the server, the likeliest first.

    As they stand in a link: an IPv6 number has its brackets. None where the server is bound to
    this machine alone.
    """
    bound = settings.now().address
    if settings.is_loopback(bound):
        return []
    try:
        number = ip_address(bound)
    except ValueError:
        return [bound]
    if not number.is_unspecified:
        return [_in_a_link(number)]
    own = _numbers(number.version)
    way_out = _way_out(number.version)
    # Behind the first there may be bridges of virtual machines, which no other device is on.
    return [_in_a_link(each) for each in sorted(own, key=lambda each: (each != way_out, int(each)))]


def for_others(url: str) -> str | None:
    """The same page's address on another device.

    What the browser's bar says is right, behind a proxy as well, unless it leads a device to
    itself.

    Args:
        url: As the browser of somebody on the server's own machine may have it.

    Returns:
        None where nobody else can open it.
    """
    parts = urlsplit(url)
    if not settings.is_loopback(parts.hostname or ""):
        return url
    addresses = reachable_addresses()
    if not addresses:
        return None
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=addresses[0] + port).geturl()


def _numbers(version: int) -> list[IPv4Address | IPv6Address]:
    """Of this machine's interfaces; 0.0.0.0 answers to IPv4 alone, and :: to IPv6 alone."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    numbers = [
        ip_address(each.address.partition("%")[0])
        for interface in psutil.net_if_addrs().values()
        for each in interface
        if each.family == family
    ]
    return [each for each in numbers if not each.is_loopback and not each.is_link_local]


def _way_out(version: int) -> IPv4Address | IPv6Address | None:
    """The number that this machine has on the network that leads on."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_NOWHERE[version], 9))
            return ip_address(probe.getsockname()[0])
    except OSError:  # a network of its own, which leads nowhere
        return None


def _in_a_link(number: IPv4Address | IPv6Address) -> str:
    return f"[{number}]" if number.version == 6 else str(number)
