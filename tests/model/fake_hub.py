"""A model hub on 127.0.0.1 with the responses that a download needs."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TAG = "v1.2"
REVISION = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class FakeHub:
    """One repository: names of the sent files in order, and of a file that breaks off."""

    endpoint: str
    fetched: list[str] = field(default_factory=list)
    cut: str | None = None


@contextmanager
def serving(repo_id: str, folder: Path) -> Iterator[FakeHub]:
    """Serve the files of a folder as a model repository."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.daemon_threads = True
    hub = FakeHub(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = _handler(hub, repo_id, folder)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(hub: FakeHub, repo_id: str, folder: Path) -> type[BaseHTTPRequestHandler]:
    resolve = f"/{repo_id}/resolve/"

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self):
            self._answer(send_body=False)

        def do_GET(self):
            self._answer(send_body=True)

        def _answer(self, send_body: bool):
            path = self.path.partition("?")[0]
            if path in (f"/api/models/{repo_id}", f"/api/models/{repo_id}/revision/{TAG}"):
                files = [
                    {"rfilename": each.name, "size": each.stat().st_size, "blobId": each.name}
                    for each in sorted(folder.iterdir())
                ]
                info = {"_id": "1", "id": repo_id, "sha": REVISION, "siblings": files, "tags": []}
                return self._send(json.dumps(info).encode(), {}, send_body)
            if not path.startswith(resolve):
                # Like the real hub, so that the client does not take it for a broken proxy.
                return self._send(b"{}", {"X-Error-Code": "RepoNotFound"}, send_body, status=404)
            name = path.removeprefix(resolve).partition("/")[2]
            content = (folder / name).read_bytes()
            etag = hashlib.sha256(content).hexdigest()
            if send_body:
                hub.fetched.append(name)
            if send_body and name == hub.cut:
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
                return None
            headers = {"X-Repo-Commit": REVISION, "ETag": f'"{etag}"'}
            return self._send(content, headers, send_body)

        def _send(self, content: bytes, headers: dict[str, str], send_body: bool, status=200):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if send_body:
                self.wfile.write(content)

        def log_message(self, *args):
            """Keep the test's output clean."""

    return Handler
