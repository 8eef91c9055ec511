"""What whoever runs the server allows its visitors, and how the server is reached.

Set once, before the first visit; tests and notebooks have no server, and everything is allowed.
docs/install.md lists it all for whoever runs one.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_settings import (
    BaseSettings,
    CliApp,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

ANY_MODEL = "HEADLIGHT_ALLOW_ANY_MODEL"
METRICS = "HEADLIGHT_ALLOW_METRICS"
HOSTS = "HEADLIGHT_ALLOW_HOSTS"
"""Environment variables: 1 for the first two, names with commas between them for the third."""

FILE = "headlight.toml"
"""Looked for where the server is started."""

MEMORY = 4_800
"""MB that models and all that is computed of them take at most, unless it is said otherwise."""


def _listed(told: str | Sequence[str]) -> tuple[str, ...]:
    names = told.split(",") if isinstance(told, str) else told
    return tuple(name.strip() for name in names if name.strip())


def _lower(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def _nobody_else_comes(told: Mapping[str, Any]) -> bool:
    """Whether only this machine reaches a server, not by a name that a proxy passes on either."""
    return is_loopback(told["address"]) and not told["hosts"]


def _web_address(told: str) -> str:
    if told and urlsplit(told).scheme not in ("http", "https"):
        raise ValueError("It has to begin with http:// or https://")
    return told


def _any_model(told: Mapping[str, Any]) -> bool:
    return bool(told["any_model"])


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
"""As a list, or with commas between them."""


class Settings(BaseModel):
    """What a server allows.

    Each is an option of the command line (``--allow-host``), a variable of the environment
    (``HEADLIGHT_ALLOW_HOST``) and a line of :data:`FILE` (``allow_host``): the first of these
    that names it decides. The words below each are the command line's help.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, use_attribute_docstrings=True
    )

    address: str = Field(default="127.0.0.1", alias="host")
    """to be bound to; 0.0.0.0 shows it to a classroom"""

    port: int = Field(default=8501, ge=0, le=65_535)
    """to listen at"""

    hosts: Annotated[Names, AfterValidator(_lower)] = Field(
        default=(), validation_alias=AliasChoices("allow_host", "allow_hosts")
    )
    """a name that the server answers to besides its own, as behind a proxy; * is anything"""

    proxies: Names = ("127.0.0.1", "::1")
    """an address or a network of proxies; what they say of a visitor's own address is believed"""

    any_model: bool = Field(default_factory=_nobody_else_comes, alias="allow_any_model")
    """folders, hub ids and downloads, also where others can reach the server"""

    models: Names = ()
    """a hub id or a folder that visitors may open besides the catalogue; all of them read it"""

    downloads: bool = Field(default_factory=_any_model)
    """visitors may fetch from the hub what they may open"""

    metrics: bool = Field(default=False, alias="allow_metrics")
    """Streamlit's figures about sessions and memory for more than this machine"""

    workers: int = Field(default=1, ge=1, le=64)
    """processes that share the visitors among them; each has bounds of its own (Linux)"""

    sessions: int = Field(default=1_000, ge=1)
    """pages open at once; more are told that the server is full"""

    memory: int = Field(default=MEMORY, ge=500)
    """MB for models and all that is computed of them; each kind keeps its share"""

    idle: int = Field(default=30, ge=1)
    """minutes until a model, or what was computed of one, that nobody asks for is let go of"""

    queue: int = Field(default=200, ge=1)
    """forward passes that may wait; more are refused in words"""

    inference: Annotated[str, AfterValidator(_web_address)] = ""
    """the address of Ray Serve, which then computes instead of this process; see docs/install.md"""

    characters: int = Field(default=20_000, ge=100, le=20_000)
    """of a text; what is longer is cut, and the page says so"""

    written: int = Field(default=512, ge=1, le=512)
    """tokens that a decoder writes behind a prompt"""

    positions: int = Field(default=5_000, ge=512, le=100_000)
    """that the Positions page draws"""

    width: int = Field(default=1_024, ge=128, le=16_384)
    """of the vectors that the Positions page draws"""

    lessons: str = ""
    """a folder of lessons, shown besides Headlight's own"""

    rooms: bool = True
    """rooms for a class"""

    data: str = ""
    """a folder for what rooms keep, instead of the system's own for such things"""

    database: str = ""
    """a PostgreSQL database for it instead"""

    @property
    def rooms_in(self) -> Path | str:
        """A file that rooms are kept in, or a database's address."""
        kept = Path(self.data) if self.data else user_data_path("headlight", appauthor=False)
        return self.database or kept.expanduser().absolute() / "rooms.sqlite"


class _Told(Settings, BaseSettings):
    """Serve Headlight.

    Any option may also be a variable of the environment (HEADLIGHT_SESSIONS=300), or a line of
    headlight.toml (sessions = 300) where the server is started.
    """

    model_config = SettingsConfigDict(
        validate_by_name=False,
        env_prefix="HEADLIGHT_",
        env_prefix_target="all",
        env_ignore_empty=True,
        toml_file=FILE,
        cli_prog_name="app.py",
        cli_kebab_case=True,
        cli_implicit_flags=True,
        cli_avoid_json=True,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, and behind them the file; the caller brings the environment."""
        return init_settings, TomlConfigSettingsSource(settings_cls)


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


def of_command_line(arguments: Sequence[str]) -> Settings:
    """The settings of a server started by ``python app.py``.

    Raises:
        SystemExit: If something is set to what it cannot be; it is said in words, and so is
            ``--help``.
    """
    try:
        return CliApp.run(_Told, list(arguments), **_of_environment(os.environ))
    except ValueError as error:  # a value's, or of a file that is no TOML
        print(f"Headlight's settings: {_in_words(error)}", file=sys.stderr)  # noqa: T201
        raise SystemExit(2) from None


def for_address(
    address: str | None,
    *,
    any_model: bool = False,
    metrics: bool = False,
    hosts: Sequence[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of a server that something else has bound, as ``streamlit run`` does.

    One that others can reach, by its address or by a name that a proxy passes on, shows the
    catalogue alone: whoever types a folder would learn what the machine holds, and whoever types a
    hub id would fill its disk.

    Args:
        address: That it is bound to; None for every one of the machine.
        any_model: Allow any model in any case.
        metrics: Allow the metrics to everybody.
        hosts: Names that it answers to; none: those in the environment.
        environment: Where variables are looked up.
    """
    told = _of_environment(environment) | {"host": address or "0.0.0.0"}  # noqa: S104
    more = {"allow_any_model": any_model, "allow_metrics": metrics, "allow_host": tuple(hosts)}
    return _Told(**told | {name: value for name, value in more.items() if value})


def _of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    source = EnvSettingsSource(_Told)
    source.env_vars = {name.lower(): value for name, value in environment.items() if value}
    return source()


def _in_words(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    wrong = error.errors(include_url=False)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in wrong)


def of_memory(n_bytes: int) -> int:
    """What a cache may keep of so many bytes, as :data:`MEMORY` has them for all of them."""
    return n_bytes * now().memory // MEMORY


def is_loopback(address: str) -> bool:
    """Whether only this machine can come from, or get to, an address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
