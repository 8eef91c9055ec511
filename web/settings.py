"""Settings of the server: its address, permissions of visitors, and limits; see docs/install.md.

Without a server, as in tests and notebooks, everything is allowed. The model is imported only for
a device: with torch, it takes seconds and memory.
"""

import gettext
import os
import re
import sys
from argparse import Action, ArgumentParser
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    CliApp,
    CliSettingsSource,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

if TYPE_CHECKING:
    from model.catalogue.placement import Placement

LOCALE = Path(__file__).parents[1] / "locale"
"""Folder of the translations."""

FILE = "headlight.toml"
"""Settings file in the working directory."""

DEFAULT_MEMORY = 4_800
"""Default budget in MB for models and cached results."""


def _split(value: str | Sequence[str]) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    return tuple(name.strip() for name in names if name.strip())


def _path(value: str) -> str:
    """The path with a "/" at its start and none at its end."""
    return f"/{value.strip('/')}" if value.strip("/") else ""


def _is_local(values: Mapping[str, Any]) -> bool:
    """Whether only this machine can reach the server: bound to loopback, without a proxy."""
    return is_loopback(values["address"]) and not values["hosts"]


SettingNames = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""A list, or a string with commas."""


class Settings(BaseModel):
    """Settings of a server.

    Each is a command line option (``--allow-host``), an environment variable
    (``HEADLIGHT_ALLOW_HOST``) and a line of :data:`FILE` (``allow_host``), in this order of
    precedence. The attribute docstrings are the command line's help.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, use_attribute_docstrings=True
    )

    address: str = Field(default="127.0.0.1", alias="host")
    """address to bind to; 0.0.0.0 for a classroom"""

    port: int = Field(default=8501, ge=0, le=65_535)
    """port to listen on"""

    hosts: SettingNames = Field(
        default=(), validation_alias=AliasChoices("allow_host", "allow_hosts")
    )
    """further host name of the server, for example behind a proxy; * allows any"""

    base_path: Annotated[str, AfterValidator(_path)] = ""
    """path below which a proxy serves Headlight, if it keeps the path: /headlight"""

    proxies: SettingNames = ("127.0.0.1", "::1")
    """address or network of a proxy that may state the visitors' addresses"""

    any_model: bool = Field(default_factory=_is_local, alias="allow_any_model")
    """folders, hub ids and downloads (default: only if no other machine can reach the server)"""

    models: SettingNames = ()
    """hub id or folder that visitors may open in addition to the catalogue"""

    downloads: bool = Field(default_factory=lambda values: bool(values["any_model"]))
    """visitors may download the models that they may open (default: with any model)"""

    sessions: int = Field(default=1_000, ge=1)
    """number of open pages; beyond it, visitors read that the server is full"""

    address_sessions: int = Field(default=600, ge=1)
    """number of open pages of one address; a school may have one address"""

    memory: int = Field(default=DEFAULT_MEMORY, ge=500)
    """MB for models and cached results; each kind has a fixed share"""

    idle: int = Field(default=30, ge=1)
    """minutes until an unused model or result is evicted"""

    queue: int = Field(default=200, ge=1)
    """number of forward passes that may wait; more are refused with a message"""

    device: Literal["cpu", "cuda", "mps"] = "cpu"
    """cpu, cuda or mps: where pretrained models run; models from scratch stay on the CPU"""

    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """float32, bfloat16 or float16: numbers in which pretrained models compute"""

    max_model_memory: float | None = Field(default=None, gt=0)
    """GB for the weights of one pretrained model (default: the machine's free memory)"""

    characters: int = Field(default=20_000, ge=100, le=20_000)
    """maximum characters of a text; the page cuts longer texts and says so"""

    written: int = Field(default=512, ge=1, le=512)
    """maximum tokens that a decoder generates"""

    lessons: str = ""
    """folder of further lessons"""

    rooms: bool = True
    """classroom rooms (default: yes)"""

    data: str = ""
    """folder of the rooms' database (default: the system's data folder)"""

    database: str = ""
    """PostgreSQL address of the rooms' database (default: a file)"""

    @field_validator("device")
    @classmethod
    def _check_device(cls, value: str) -> str:
        """Refuse a device that is missing."""
        if value != "cpu":
            from model import HeadlightError
            from model.catalogue.placement import Placement

            try:
                Placement(value)  # type: ignore[arg-type]
            except HeadlightError as error:
                raise ValueError(str(error)) from error
        return value

    @property
    def placement(self) -> "Placement":
        """Where pretrained models run."""
        from model.catalogue.placement import Placement

        most = self.max_model_memory
        return Placement(self.device, self.dtype, None if most is None else int(most * 1e9))

    @property
    def rooms_in(self) -> Path | str:
        """The rooms' SQLite file, or the URL of their database."""
        folder = Path(self.data) if self.data else user_data_path("headlight", appauthor=False)
        return self.database or folder.expanduser().absolute() / "rooms.sqlite"


class _ServerSettings(Settings, BaseSettings):
    model_config = SettingsConfigDict(
        validate_by_name=False,
        env_prefix="HEADLIGHT_",
        env_prefix_target="all",
        env_ignore_empty=True,
        toml_file=FILE,
        cli_kebab_case=True,
        cli_implicit_flags=True,
        cli_avoid_json=True,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *others: Any,
        **also: Any,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the file; the caller passes the environment as arguments."""
        return init_settings, TomlConfigSettingsSource(settings_cls)


_settings: Settings | None = None


def now() -> Settings:
    """The current settings."""
    return _settings or Settings()


def use(settings: Settings) -> None:
    """Set the current settings."""
    global _settings
    _settings = settings


def given() -> bool:
    """Whether :func:`use` has set a server's settings."""
    return _settings is not None


def of_command_line(arguments: Sequence[str]) -> Settings:
    """The settings of ``python app.py``; its help is in the language of the environment.

    Raises:
        SystemExit: If a setting is invalid, with a message; and after ``--help``.
    """
    gettext.bindtextdomain("headlight", str(LOCALE))
    gettext.textdomain("headlight")  # argparse's own words, too

    class Command(_ServerSettings):
        __doc__ = gettext.gettext(_USE)

    try:
        source = CliSettingsSource[Any](Command, add_argument_method=_add_option)
        return CliApp.run(
            Command,
            list(arguments),
            cli_settings_source=source,
            **_of_environment(os.environ),
        )
    except ValueError as error:  # an invalid value, or a file that is not TOML
        print(f"Headlight's settings: {_in_words(error)}", file=sys.stderr)  # noqa: T201
        raise SystemExit(2) from None


_METAVARS = {"int": "NUMBER", "str": "TEXT", "tuple[str,...]": "NAMES", "{float,None}": "NUMBER"}
"""What the help shows for a type of Python."""

_DEFAULT = re.compile(r" *\(default(?: factory)?: ([^()]*|\([^()]*\))\)")

_USE = """Serve Headlight.

Any option may also be a variable of the environment (HEADLIGHT_SESSIONS=300), or a line of
headlight.toml (sessions = 300) where the server is started."""
_OTHERS = _USE, "(default: {value})", "usage: ", "options", "show this help message and exit"


def extract(*_: Any, **__: Any) -> list[tuple[int, None, str, list[str]]]:
    """Return the texts of the help for Babel, which calls this (babel.cfg)."""
    return [(0, None, text, []) for text in (*_OTHERS, *_helps())]


def _helps() -> list[str]:
    return [each.description or "" for each in Settings.model_fields.values()]


def _add_option(group: ArgumentParser, *names: str, **option: Any) -> Action:
    """Add an option whose help shows values and no names of Python."""
    if "metavar" in option:
        option["metavar"] = _METAVARS.get(option["metavar"], option["metavar"])
    text = option.get("help") or ""
    ours = next((each for each in _helps() if text.startswith(each)), text)
    option["help"] = gettext.gettext(ours) if ours else ""
    if default := _DEFAULT.fullmatch(text[len(ours) :]):  # Pydantic has appended it
        value = default[1].strip("()").strip(",").replace("'", "")
        if value and value not in ("None", "True") and not value.startswith(("_", "Settings.")):
            option["help"] += " " + gettext.gettext("(default: {value})").format(value=value)
    return ArgumentParser.add_argument(group, *names, **option)


def for_address(address: str | None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of a server that is bound to an address already, None for all of the machine.

    One that other machines can reach shows the catalogue only: with folders, visitors could explore
    the machine's disk; with hub ids, they could fill it.
    """
    values = _of_environment(environment) | {"host": address or "0.0.0.0"}  # noqa: S104
    return _ServerSettings(**values)


def _of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    source = EnvSettingsSource(_ServerSettings)
    source.env_vars = {name.lower(): value for name, value in environment.items() if value}
    return source()


def _in_words(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    errors = error.errors(include_url=False)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in errors)


def scale_budget(n_bytes: int) -> int:
    """A cache's budget, scaled from :data:`DEFAULT_MEMORY` to the memory setting."""
    return n_bytes * now().memory // DEFAULT_MEMORY


def ip(address: str) -> IPv4Address | IPv6Address | None:
    """The number of an address; None for a host name."""
    try:
        return ip_address(address)
    except ValueError:
        return None


def is_loopback(address: str) -> bool:
    """Whether an address belongs to the loopback interface."""
    number = ip(address)
    return address == "localhost" if number is None else number.is_loopback


def network(address: str) -> str:
    """An IPv4 address, or the first half of an IPv6 address: a visitor has all the rest."""
    number = ip(address)
    if isinstance(number, IPv6Address):
        return str(number.ipv4_mapped or int(number) >> 64)
    return address if number is None else str(number)
