"""What whoever runs the server allows its visitors, and how the server is reached.

Set once, before the first visit; tests and notebooks have no server, and everything is allowed.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

ANY_MODEL = "HEADLIGHT_ALLOW_ANY_MODEL"
METRICS = "HEADLIGHT_ALLOW_METRICS"
HOSTS = "HEADLIGHT_ALLOW_HOSTS"
LESSONS = "HEADLIGHT_LESSONS"
"""Environment variables: 1 for the first two, names with commas between them for the third, a
folder for the last."""


@dataclass(frozen=True)
class Settings:
    """What a server allows.

    Attributes:
        any_model: Folders of the server, hub ids and downloads, besides the catalogue.
        metrics: Streamlit's figures about sessions and memory, for whoever asks.
        address: That it is bound to.
        hosts: Names that it answers to besides its own; ``*`` stands for anything.
        lessons: A folder of lessons besides ours; blank for none.
    """

    any_model: bool = True
    metrics: bool = False
    address: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()
    lessons: str = ""


_settings: Settings | None = None


def now() -> Settings:
    """What holds."""
    return _settings or Settings()


def use(settings: Settings) -> None:
    """Let these hold from now on."""
    global _settings
    _settings = settings


def given() -> bool:
    """Whether the server's own have been set."""
    return _settings is not None


def for_address(
    address: str | None,
    *,
    any_model: bool = False,
    metrics: bool = False,
    hosts: Sequence[str] = (),
    lessons: str = "",
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of a server.

    One that others can reach, by its address or by a name that a proxy passes on, shows the
    catalogue alone: whoever types a folder would learn what the machine holds, and whoever types a
    hub id would fill its disk.

    Args:
        address: That it is bound to; None for every one of the machine.
        any_model: Allow any model in any case.
        metrics: Allow the metrics to everybody.
        hosts: Names that it answers to, besides those in the environment.
        lessons: A folder of lessons besides ours, before the one in the environment.
        environment: Where the variables above are looked up.
    """
    more = (name.strip() for name in environment.get(HOSTS, "").split(","))
    names = tuple(name.lower() for name in (*hosts, *more) if name)
    alone = is_loopback(address or "0.0.0.0") and not names  # noqa: S104
    return Settings(
        any_model=any_model or environment.get(ANY_MODEL) == "1" or alone,
        metrics=metrics or environment.get(METRICS) == "1",
        address=address or "0.0.0.0",  # noqa: S104
        hosts=names,
        lessons=lessons or environment.get(LESSONS, ""),
    )


def is_loopback(address: str) -> bool:
    """Whether only this machine can come from, or get to, an address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
