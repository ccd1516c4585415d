"""Receives the webhooks of an installation: checks the signature over the raw body, reads the delivery, answers.

Without a secret nothing is checked. With one, a request that is not signed by it, or that was signed too long ago, is answered
with 401. The receivers in Node and PHP do the same; receiver/vectors.json has the cases that all three pass.
"""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Protocol, TypedDict

from .events import Event

__all__ = ["Answer", "Delivery", "MemorySeenIds", "Receiver", "SeenIds"]

# Larger bodies are refused with 413; the service sends 256 kB at most but for a single event that is larger.
_MAX_BYTES = 4 * 1024 * 1024

# The algorithms of X-Service-Signature, by the names that the service writes: in lower case.
_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")

_STATUS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 405: "Method Not Allowed", 413: "Content Too Large"}


class Delivery(TypedDict):
    """Events may arrive more than once; data["id"] identifies them. In the classic format, times are seconds since 1970."""

    timestamp: int
    events: List[Event]


class Answer(NamedTuple):
    """What to answer a request, and the delivery if there is one to act on."""

    status: int
    text: str
    delivery: Optional[Delivery] = None


class SeenIds(Protocol):
    """Remembers the events that were acted on, by their ids."""

    def has(self, event_id: str) -> bool: ...

    def add(self, event_ids: List[str]) -> None: ...


class MemorySeenIds:
    """In the memory of this process; the oldest are forgotten. For several processes, keep the ids in your database."""

    def __init__(self, max_ids: int = 100_000) -> None:
        self._ids: Dict[str, None] = {}
        self._max_ids = max_ids
        self._lock = threading.Lock()

    def has(self, event_id: str) -> bool:
        with self._lock:
            return event_id in self._ids

    def add(self, event_ids: List[str]) -> None:
        with self._lock:
            self._ids.update(dict.fromkeys(event_ids))
            while len(self._ids) > self._max_ids:
                del self._ids[next(iter(self._ids))]


class Receiver:
    """A receiver of one webhook.

    secret: the webhook's secret; with "" nothing is checked. tolerance: how old a request may be, in seconds; 0 checks
    X-Service-Signature, which any age passes, in place of the headers of Standard Webhooks. seen: with it, events that were
    acted on before are left out.
    """

    def __init__(self, secret: str, *, tolerance: float = 300, seen: Optional[SeenIds] = None) -> None:
        self._secret = secret
        self._tolerance = tolerance
        self._seen = seen

    def receive(self, body: bytes, headers: Mapping[str, str], *, now: Optional[float] = None) -> Answer:
        """What to answer a request. body: the bytes as they came. now: seconds since 1970."""
        if not self.verify(body, headers, now=now):
            return _answer(401)
        delivery = _read(body)
        return _answer(400) if delivery is None else Answer(200, "OK", delivery)

    def verify(self, body: bytes, headers: Mapping[str, str], *, now: Optional[float] = None) -> bool:
        """Whether a request may be believed."""
        if self._secret == "":
            return True
        given = {name.lower(): value for name, value in headers.items()}
        if self._tolerance <= 0:
            return _is_signed(body, given.get("x-service-signature", ""), self._secret)
        message_id = given.get("webhook-id", "")
        at = given.get("webhook-timestamp", "")
        is_number = at.isascii() and at.isdigit() and len(at) <= 12
        if message_id == "" or not is_number or abs((time.time() if now is None else now) - int(at)) > self._tolerance:
            return False
        signed = message_id.encode(errors="replace") + b"." + at.encode() + b"." + body
        digest = hmac.new(_standard_key(self._secret), signed, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        # While a secret is being replaced, there are two signatures.
        return any([_is_equal(one, expected) for one in given.get("webhook-signature", "").split(" ")])

    def handle(self, method: str, body: bytes, headers: Mapping[str, str], on_delivery: Callable[[Delivery], Any]) -> Answer:
        """Answers a request, and calls on_delivery with the events to act on. What it raises is raised: then the service sends
        the events again."""
        if method == "HEAD":  # The service asks whether the address is there when it is saved.
            return Answer(200, "")
        if method != "POST":
            return _answer(405)
        if len(body) > _MAX_BYTES:
            return _answer(413)
        answer = self.receive(body, headers)
        if answer.delivery is None:
            return answer
        seen = self._seen
        events = [event for event in answer.delivery["events"] if seen is None or not seen.has(event["data"]["id"])]
        if events or seen is None:
            on_delivery({"timestamp": answer.delivery["timestamp"], "events": events})
        if events and seen is not None:
            # Not earlier: until it was acted on, an event must be able to come again.
            seen.add([event["data"]["id"] for event in events])
        return answer

    def wsgi(self, on_delivery: Callable[[Delivery], Any]) -> Callable[[Dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
        """An application for any WSGI server; in Flask or Django, call handle in a view."""

        def application(environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            length = environ.get("CONTENT_LENGTH") or "0"
            # One byte more than allowed shows that there are too many.
            body = environ["wsgi.input"].read(min(int(length), _MAX_BYTES + 1)) if length.isdigit() else b""
            headers = {name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
            answer = self.handle(environ["REQUEST_METHOD"], body, headers, on_delivery)
            text = answer.text.encode()
            start_response(
                f"{answer.status} {_STATUS[answer.status]}",
                [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))],
            )
            return [text]

        return application


def _answer(status: int) -> Answer:
    return Answer(status, f"{status} {_STATUS[status]}")


def _is_signed(body: bytes, header: str, secret: str) -> bool:
    algorithm, _, signature = header.partition("=")
    if signature == "" or algorithm not in _ALGORITHMS:
        return False
    return _is_equal(signature, hmac.new(secret.encode(), body, algorithm).hexdigest())


def _is_equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode())


def _standard_key(secret: str) -> bytes:
    """A secret that begins with whsec_ is a key in Base64; any other is taken as it is written."""
    if not secret.startswith("whsec_"):
        return secret.encode()
    text = secret[len("whsec_") :].replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(text + "=" * (-len(text) % 4))


def _read(body: bytes) -> Optional[Delivery]:
    try:
        found = json.loads(body.decode("utf-8"), parse_constant=_refuse)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    hook, data = found.get("hook"), found.get("data")
    # The classic format names the type once, for all of its events.
    is_classic = isinstance(hook, str) and isinstance(data, list)
    events = [{"type": hook, "data": one} for one in data] if is_classic else found.get("events")
    if not isinstance(events, list) or not all(_is_event(one) for one in events):
        return None
    return {"timestamp": found.get("timestamp"), "events": events}  # type: ignore[typeddict-item]


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _is_event(one: Any) -> bool:
    data = one.get("data") if isinstance(one, dict) else None
    return isinstance(data, dict) and isinstance(one.get("type"), str) and isinstance(data.get("id"), str)
