"""Files, options and settings that deploy/ names exist. Nothing is built."""

import re
import shlex
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from app import ROUTES
from web import settings
from web.server.process_limits import FILES_PER_PAGE, SERVER_FILES
from web.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"

# Keys of the Compose specification that this project may use.
OF_A_SERVICE = {
    *("build", "image", "restart", "environment", "depends_on", "networks", "ports", "volumes"),
    *("healthcheck", "stop_grace_period", "command", "ulimits", "expose", "read_only"),
}
OF_THE_FILE = {"name", "services", "networks", "volumes", "configs", "secrets"}


@pytest.fixture
def dockerfile() -> list[tuple[str, str]]:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines if line]


@pytest.fixture
def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8"))


def allowed(environment: dict[str, str]) -> Settings:
    """What a server makes of its environment; a name that is no setting fails."""
    known = {
        f"HEADLIGHT_{option}".upper()
        for name, field in Settings.model_fields.items()
        for option in (name, field.alias, *getattr(field.validation_alias, "choices", ()))
    }
    assert set(environment) <= known
    return settings.for_address("0.0.0.0", environment=environment)


def test_the_image_copies_existing_files_and_starts_an_existing_command(dockerfile) -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    taken = {name for said, rest in dockerfile if said == "COPY" for name in rest.split()[:-1]}
    assert taken >= {"requirements.txt", "."}
    for name in taken:
        assert (ROOT / name).exists() and name not in ignored
    installed = [rest for said, rest in dockerfile if said == "RUN" and "pip install" in rest]
    assert set(re.findall(r"-r (\S+)", installed[0])) == taken - {"."}
    command = yaml.safe_load(dict(dockerfile)["CMD"])
    assert command[0] == "python" and (ROOT / command[1]).is_file() and command[2:] == []


def test_the_image_exposes_its_port_and_checks_an_existing_route(dockerfile) -> None:
    (environment,) = (rest for said, rest in dockerfile if said == "ENV")
    to = allowed(dict(each.split("=", 1) for each in shlex.split(environment)))
    said = dict(dockerfile)
    assert said["EXPOSE"] == str(to.port) and to.data == said["VOLUME"]
    port, path = re.findall(r"127\.0\.0\.1:(\d+)([\w/]+)", said["HEALTHCHECK"])[0]
    assert int(port) == to.port and path in [route.path for route in ROUTES]
    assert [said for said, _ in dockerfile].index("USER") > [s for s, _ in dockerfile].index("RUN")


def test_compose_names_existing_files_and_options(compose) -> None:
    assert {name for name in compose if not name.startswith("x-")} <= OF_THE_FILE
    services = compose["services"]
    for service in services.values():
        assert set(service) <= OF_A_SERVICE
        assert set(service.get("depends_on", ())) <= set(services)
        assert set(service["networks"]) <= set(compose["networks"])
        for volume in service.get("volumes", ()):
            source, target, *_ = volume.split(":")
            inside = (DEPLOY / "compose" / source).resolve()
            assert inside.is_file() if source.startswith(".") else source in compose["volumes"]
            assert target.startswith("/")
    build = services["headlight-1"]["build"]
    context = (DEPLOY / "compose" / build["context"]).resolve()
    assert context == ROOT and (context / build["dockerfile"]).is_file()


def test_compose_and_nginx_have_the_same_replicas(compose, dockerfile) -> None:
    replicas = (DEPLOY / "compose" / "replicas.conf").read_text(encoding="utf-8")
    ours = {n: s for n, s in compose["services"].items() if s["image"] == "headlight"}
    port = dict(dockerfile)["EXPOSE"]
    assert set(re.findall(r"^\s*server (\S+)", replicas, re.M)) == {f"{n}:{port}" for n in ours}
    (network,) = compose["networks"]["inside"]["ipam"]["config"]
    for service in ours.values():
        environment = {name: str(value) for name, value in service["environment"].items()}
        # In a URL, a password with / or @ would be read as something else.
        assert environment.pop("PGPASSWORD") == "${POSTGRES_PASSWORD:?}"
        to = allowed(environment)
        assert to.proxies == (network["subnet"],)
        assert str(to.rooms_in).endswith("//headlight@database/headlight")
    text = (DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8")
    told = set(re.findall(r"([A-Z_]+)=", text.partition("x-headlight")[0]))
    assert (
        set(re.findall(r"\$\{(\w+)", text)) == told
    )  # what is to be given, and the first lines say


def test_the_unit_starts_an_existing_command_with_enough_open_files() -> None:
    unit = RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "headlight@.service", encoding="utf-8")
    service = unit["Service"]
    python, script, *options = service["ExecStart"].replace("%i", "8501").split()
    assert python.endswith("/.venv/bin/python") and (ROOT / script).is_file()
    assert settings.of_command_line(options).port == 8501
    name, _, value = service["Environment"].partition("=")
    assert allowed({name: value}).data == "%S/headlight"
    needed = SERVER_FILES + FILES_PER_PAGE * Settings().sessions
    assert int(service["LimitNOFILE"]) >= needed
    assert int(service["MemoryMax"].removesuffix("G")) * 1_000 > Settings().memory
    assert service["UMask"] == "0077"


def test_certbot_finds_the_host_name_of_the_readme() -> None:
    text = (DEPLOY / "README.md").read_text(encoding="utf-8")
    nginx = (DEPLOY / "nginx" / "headlight.conf").read_text(encoding="utf-8")
    (name,) = re.findall(r"^ *server_name (\S+);", nginx, re.MULTILINE)
    assert f"\nHOST={name} " in text and "certbot --nginx -d $HOST" in text


def test_the_readme_names_existing_files() -> None:
    text = (DEPLOY / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+`) \|", text, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert named and all((DEPLOY / name).exists() for name in named)
