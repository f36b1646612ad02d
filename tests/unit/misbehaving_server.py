"""A local HTTP server that misbehaves as a test asks it to."""

import gzip
import re
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Behaviour:
    """A file, served correctly by default: with Range, If-Range and its length.

    ``faults`` are arguments of :meth:`send` that change the answers to the first requests; ``always``
    changes all later ones. ``asked`` holds the Range of each request.
    """

    def __init__(self, data: bytes, *faults: dict, always: dict | None = None):
        self.data, self.faults, self.always, self.asked = data, list(faults), always or {}, []

    def answer(self, request) -> None:
        self.asked.append(request.headers.get("Range"))
        self.send(request, **(self.faults.pop(0) if self.faults else self.always))

    def send(self, request, code=None, headers=(), data=None, tag='"1"', start=None, sends=None, pause=0):
        """Send ``sends`` of the bytes from ``start`` on, one every ``pause`` seconds; None: the correct ones.

        ``headers`` replace the correct headers; None leaves one out.
        """
        data = self.data if data is None else data
        if start is None:
            wanted = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
            start = int(wanted[1]) if wanted and request.headers.get("If-Range", tag) == tag else 0
        code = code or (416 if start >= len(data) > 0 else 206 if start else 200)
        body = data[start:] if code in (200, 206) else b""
        told = {"ETag": tag, "Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}" if code == 206 else None}
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            body, told["Content-Encoding"] = gzip.compress(body), "gzip"
        request.send_response(code)
        for name, value in (told | {"Content-Length": len(body)} | dict(headers)).items():
            if value is not None:
                request.send_header(name, str(value))
        request.end_headers()
        for piece in re.findall(b"(?s).", body[:sends]) if pause else [body[:sends]]:
            request.wfile.write(piece)
            request.wfile.flush()
            time.sleep(pause)
        if pause:
            request.rfile.read(1)  # silent until the client goes away


@contextmanager
def serving(behaviours: dict):
    """The address of a server; ``behaviours``: path -> an object whose ``answer(request)`` replies."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with suppress(BrokenPipeError, ConnectionResetError):  # the client closed the connection
                behaviours.get(self.path, NOTHING).answer(self)
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


NOTHING = Behaviour(b"", always={"code": 404})
