"""A small HTTP server on 127.0.0.1 that answers chat completions as a test tells it to."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self, cast

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True, slots=True)
class Response:
    """What the server does with one request."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drop: bool = False


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came in, with the names of its headers in lower case."""

    headers: Mapping[str, str]
    json: dict[str, object]

    @property
    def prompt(self) -> str:
        """The last message's text."""
        messages = cast("list[dict[str, str]]", self.json["messages"])
        return messages[-1]["content"]


Script = Response | Sequence[Response] | Callable[[Received], Response]


def says(text: str | None, *, p_yes: float | None = None, tokens: int | None = 42) -> Response:
    """A chat completion with this text, and log-probabilities of YES and NO if a probability is given."""
    choice: dict[str, object] = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    if p_yes is not None:
        choice["logprobs"] = {"content": [_token(text or "", p_yes)]}
    completion: dict[str, object] = {"object": "chat.completion", "model": "scripted", "choices": [choice]}
    if tokens is not None:
        completion["usage"] = {"prompt_tokens": tokens - 1, "completion_tokens": 1, "total_tokens": tokens}
    return sends(completion)


def sends(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Any JSON."""
    return Response(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})


def refuses(
    status: int, message: str = "no", code: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """An error in the shape that OpenAI gave it."""
    return sends({"error": {"message": message, "type": "error", "code": code}}, status, headers)


def shows_page(status: int = 200) -> Response:
    """An HTML page, as a proxy or a wrong address sends it."""
    return Response(status, b"<!doctype html><title>Welcome</title>", {"Content-Type": "text/html"})


def drops() -> Response:
    """The connection is closed without a word."""
    return Response(drop=True)


def late(response: Response, delay_s: float) -> Response:
    """The same response, after a while."""
    return replace(response, delay_s=delay_s)


class ScriptedServer:
    """Serves a script and remembers what came in.

    Args:
        script: One response to everything; several, in the order in which requests arrive, the last of which
            is repeated; or a function of the request.
    """

    def __init__(self, script: Script) -> None:
        self.requests: list[Received] = []
        self.pages: dict[str, object] = {}
        """What a GET of a path answers, as JSON; nothing at first, and nothing of it is in `requests`."""
        self.peak = 0
        self._script = script
        self._open = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """The address for a profile."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The last message of every request, in the order of arrival."""
        return [request.prompt for request in self.requests]

    def close(self) -> None:
        """Stop serving; responses that are still waiting go out at once."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def take(self, request: Received) -> Response:
        """Remember a request and answer it."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self._open += 1
            self.peak = max(self.peak, self._open)
        try:
            response = self._choose(request, number)
            self._closing.wait(response.delay_s)
            return response
        finally:
            with self._lock:
                self._open -= 1

    def _choose(self, request: Received, number: int) -> Response:
        if isinstance(self._script, Response):
            return self._script
        if isinstance(self._script, Sequence):
            return self._script[min(number, len(self._script) - 1)]
        return self._script(request)


ServeScript = Callable[[Script], ScriptedServer]
"""What the fixture `scripted` gives: starts a server, which the fixture stops."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up are what many tests are about."""


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Header and body go out as two writes, and the second would wait for the first one's receipt.
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            body: dict[str, object] = json.loads(self.rfile.read(length))
            response = server.take(Received({name.lower(): value for name, value in self.headers.items()}, body))
            if response.drop:
                self.close_connection = True
                return
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)

        def do_GET(self) -> None:
            page = server.pages.get(self.path)
            body = json.dumps(page).encode()
            self.send_response(200 if page is not None else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    return Handler


def _token(text: str, p_yes: float) -> dict[str, object]:
    """One generated token; YES and NO share 90 % of the mass among two spellings each."""
    spellings = {"YES": p_yes * 0.6, " Yes": p_yes * 0.3, "NO": (1 - p_yes) * 0.7, "no": (1 - p_yes) * 0.2}
    likely = [
        {"token": token, "logprob": math.log(p) if p else -9999.0} for token, p in {**spellings, "?": 0.1}.items()
    ]
    return {"token": text, "logprob": -0.1, "top_logprobs": likely}
