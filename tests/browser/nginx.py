"""nginx process with deploy/'s configuration, for a test."""

import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Self

from benchmarks.browser import free_port

ROOT = Path(__file__).parents[2]
SITE = ROOT / "deploy" / "nginx"
PLACES = (ROOT / ".venv" / "nginx" / "usr" / "sbin", Path("/usr/sbin"), Path("/usr/local/sbin"))

MAIN = """
{user}
pid {folder}/pid;
error_log {folder}/error.log;
daemon off;
worker_processes 2;
events {{ worker_connections 1024; }}
http {{
    log_format who '$uri $cookie_headlight $sent_http_set_cookie $upstream_addr $status';
    access_log {folder}/access.log who;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/*.conf;
}}
"""


def binary() -> str:
    found = shutil.which("nginx", path=":".join(map(str, PLACES))) or shutil.which("nginx")
    assert found, "nginx is missing: run make test, which fetches it"
    return found


class Nginx:
    """nginx as a proxy of some ports, inside a `with` block."""

    def __init__(self, folder: Path, ports: list[int], **changes: str) -> None:
        """Write deploy/'s configuration into a folder, with other paths, ports and words."""
        self.folder, self.port = folder, free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        site = (SITE / "headlight.conf").read_text(encoding="utf-8")
        replicas = (SITE / "replicas.conf").read_text(encoding="utf-8")
        servers = [f"server 127.0.0.1:{port} max_fails=1 fail_timeout=2s;" for port in ports]
        replicas, found = re.subn(
            r"(    server 127[^;]*;\n)+", "".join(f"    {s}\n" for s in servers), replicas
        )
        assert found == 1
        changes = {
            "listen 80;": f"listen 127.0.0.1:{self.port};",
            "/var/cache/nginx/headlight": f"{folder}/cache",
            **changes,
        }
        for old, new in changes.items():
            assert old in site
            site = site.replace(old, new)
        (folder / "headlight.conf").write_text(site)
        (folder / "replicas.conf").write_text(replicas)
        # Only this user can read the folder.
        user = "" if os.geteuid() else "user root;"
        (folder / "main").write_text(MAIN.format(folder=folder, user=user))

    def __enter__(self) -> Self:
        command = [binary(), "-c", str(self.folder / "main"), "-e", str(self.folder / "error.log")]
        self.process = subprocess.Popen([*command, "-p", str(self.folder)])
        self._until(lambda: (self.folder / "pid").exists() and bool(self.workers()))
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(10)

    def workers(self) -> set[str]:
        """Worker processes that accept connections, without workers that shut down."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return {child for child in children if _called(child) == "nginx: worker process"}

    def reload(self) -> None:
        """Reload the configuration, like `systemctl reload nginx`; returns when it is active."""
        before = self.workers()
        self.process.send_signal(signal.SIGHUP)
        # A worker of before could accept a connection, and close it between two requests.
        self._until(lambda: len(self.workers()) == 2 and not self.workers() & before)

    def port_of(self, cookie: str) -> int:
        """Port of the process to which nginx routes a cookie."""
        request = urllib.request.Request(f"{self.address}/favicon.png")
        request.add_header("Cookie", f"headlight={cookie}")
        urllib.request.urlopen(request, timeout=10).close()
        pattern = re.compile(rf"/favicon.png {cookie} - 127\.0\.0\.1:(\d+) ")
        found: list[str] = []

        def logged() -> bool:
            found[:] = pattern.findall((self.folder / "access.log").read_text())
            return bool(found)

        self._until(logged)
        return int(found[-1])

    def _until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not holds():
            assert self.process.poll() is None, (self.folder / "error.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.02)


def _called(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().strip("\0 ")
    except OSError:  # it has ended
        return ""
