"""The files of deploy/ give a server settings that it accepts, and name what exists."""

import re
import shlex
from configparser import RawConfigParser
from pathlib import Path

import uvicorn
import yaml

from app import ROUTES
from web import settings
from web.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def of_server(environment: dict[str, str]) -> Settings:
    """What a server makes of its environment; a name that is no setting fails."""
    known = {
        f"HEADLIGHT_{option}".upper()
        for name, field in Settings.model_fields.items()
        for option in (name, field.alias, *getattr(field.validation_alias, "choices", ()))
    }
    assert set(environment) <= known
    return settings.for_address("0.0.0.0", environment=environment)


def test_the_image_starts_the_server_on_its_port_and_checks_an_existing_route() -> None:
    said = dict(re.findall(r"^([A-Z]+) (.+)$", DOCKERFILE, re.MULTILINE))
    to = of_server(dict(each.split("=", 1) for each in shlex.split(said["ENV"])))
    assert (said["EXPOSE"], said["VOLUME"]) == (str(to.port), to.data)
    port, path = re.findall(r"127\.0\.0\.1:(\d+)([\w/]+)", said["HEALTHCHECK"])[0]
    assert int(port) == to.port and path in [route.path for route in ROUTES]
    _python, script = yaml.safe_load(said["CMD"])
    copied = re.findall(
        r"requirements[\w-]*\.txt", re.findall(r"^COPY (.+) \./$", DOCKERFILE, re.M)[0]
    )
    assert {*re.findall(r"-r\s+(\S+)", said["RUN"])} <= {*copied}
    assert all((ROOT / name).is_file() for name in (script, *copied))
    assert DOCKERFILE.index("\nUSER headlight") > DOCKERFILE.index("pip install")


def test_compose_and_nginx_have_the_same_replicas_with_valid_settings() -> None:
    text = (DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8")
    compose = yaml.safe_load(text)
    ours = {n: s for n, s in compose["services"].items() if s["image"] == "headlight"}
    replicas = (DEPLOY / "compose" / "replicas.conf").read_text(encoding="utf-8")
    assert {*re.findall(r"^\s*server (\S+)", replicas, re.M)} == {f"{name}:8501" for name in ours}
    for conf in (replicas, (DEPLOY / "nginx" / "replicas.conf").read_text(encoding="utf-8")):
        (idle,) = re.findall(r"^    keepalive_timeout (\d+)s;$", conf, re.M)
        assert int(idle) < uvicorn.Config("app").timeout_keep_alive
    (network,) = compose["networks"]["inside"]["ipam"]["config"]
    for service in ours.values():
        environment = {name: str(value) for name, value in service["environment"].items()}
        # In a URL, a password with / or @ would be read as something else.
        assert environment.pop("PGPASSWORD") == "${POSTGRES_PASSWORD:?}"
        to = of_server(environment)
        assert to.proxies == (network["subnet"],)
        assert str(to.rooms_in).endswith("//headlight@database/headlight")
    for path in re.findall(r"- (\.[\w./-]+):/", text):
        assert (DEPLOY / "compose" / path).is_file()


def test_the_unit_starts_an_existing_command_with_enough_open_files() -> None:
    unit = RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "headlight@.service", encoding="utf-8")
    service = unit["Service"]
    python, script, *options = service["ExecStart"].replace("%i", "8501").split()
    assert python.endswith("/.venv/bin/python") and (ROOT / script).is_file()
    assert settings.of_command_line(options).port == 8501
    name, _, value = service["Environment"].partition("=")
    assert of_server({name: value}).data == "%S/headlight"
    assert int(service["LimitNOFILE"]) >= 500 + 4 * Settings().sessions
    assert int(service["MemoryMax"].removesuffix("G")) * 1_000 > Settings().memory
    assert service["UMask"] == "0077"
