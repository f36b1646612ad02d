"""A local HTTP server that behaves as badly as a test asks it to."""

import re
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Behaviour:
    """A file that is served as it should be: with Range, and its length. ``asked`` holds the Range of each request."""

    def __init__(self, data: bytes):
        self.data, self.asked = data, []

    def answer(self, request) -> None:
        self.asked.append(request.headers.get("Range"))
        self.send(request, start=self.start_of(request))

    def start_of(self, request) -> int:
        found = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        return int(found[1]) if found else 0

    def send(self, request, start=0, stop=None, data=None, length=None, pause=0.0) -> None:
        """The bytes from ``start`` to ``stop``, under a header that promises ``length`` or all of them."""
        data = self.data if data is None else data
        if start >= len(data) > 0:
            return fail(request, 416)
        request.send_response(206 if start else 200)
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        request.send_header("Content-Length", str(len(data) - start if length is None else length))
        request.end_headers()
        body = data[start:stop]
        for piece in [body[i : i + 1] for i in range(len(body))] if pause else [body]:
            request.wfile.write(piece)
            request.wfile.flush()
            time.sleep(pause)


class Refuses(Behaviour):
    """Answers with ``code`` ``times`` times, then as it should."""

    def __init__(self, data, code, headers=(), times=99, page=b""):
        super().__init__(data)
        self.answers = [lambda request: fail(request, code, headers, page)] * times

    def answer(self, request):
        self.asked.append(request.headers.get("Range"))
        self.answers.pop()(request) if self.answers else self.send(request)


def fail(request, code, headers=(), page=b"") -> None:
    request.send_response(code)
    for name, value in headers:
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(page)))
    request.end_headers()
    request.wfile.write(page)


@contextmanager
def serving(behaviours: dict):
    """The address of a server; ``behaviours``: path -> an object whose ``answer(request)`` replies."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            behaviour = behaviours.get(self.path)
            if behaviour is None:
                return fail(self, 404)
            with suppress(BrokenPipeError, ConnectionResetError):  # the client had enough
                behaviour.answer(self)
            self.close_connection = True

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
