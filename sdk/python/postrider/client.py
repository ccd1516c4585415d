"""The runtime of the Python SDK: one HTTP request per call, retries that cannot repeat an effect, iteration over pages.

Uses the standard library only. Threads may share a client.
"""
from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from typing import Any, Dict, Iterator, Optional

from .methods import METHODS, UNSET, Method, Methods

__all__ = ["Postrider", "PostriderError"]


class PostriderError(Exception):
    """A fault of the API, or a request without an answer (code and status are 0).

    code: the number of the fault. status: the HTTP status. text: the text by key, with its values; values["member"] is the
    parameter it is about. retry_after: seconds to wait before another call.
    """

    def __init__(
        self,
        message: str,
        *,
        method: str,
        code: int = 0,
        status: int = 0,
        text: Optional[Dict[str, Any]] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.method = method
        self.code = code
        self.status = status
        self.text = text
        self.retry_after = retry_after


class Postrider(Methods):
    """A client of one installation and one API key.

    url: the address of the installation, such as https://mail.example.com. timeout: seconds that one request may take.
    max_retries: repetitions of a call that failed for a moment; only calls that cannot take effect twice are repeated.
    """

    def __init__(self, url: str, api_key: str, *, timeout: float = 30, max_retries: int = 3) -> None:
        if not url:
            raise ValueError("url is missing: the address of the installation, such as https://mail.example.com")
        if not api_key:
            raise ValueError("api_key is missing")
        self._url = url.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._max_retries = max_retries

    def call(self, method: str, params: Optional[Dict[str, Any]] = None) -> Any:
        """Calls any method by name. Raises PostriderError."""
        known = METHODS.get(method, Method(False, False, None))
        given = {name: value for name, value in (params or {}).items() if value is not UNSET}
        if known.idempotent:
            given.setdefault("idempotency_key", str(uuid.uuid4()))
        attempt = 0
        while True:
            try:
                return self._request(method, given)
            except PostriderError as error:
                is_safe = known.reads or known.idempotent or _changed_nothing(error)
                if attempt >= self._max_retries or not is_safe or error.status not in (0, 429, 502, 503, 504):
                    raise
                time.sleep(0.25 * 2**attempt if error.retry_after is None else error.retry_after)
                attempt += 1

    def iterate(self, method: str, **params: Any) -> Iterator[Any]:
        """The rows of all pages of a method, one after the other. Raises PostriderError."""
        pages = METHODS[method].pages if method in METHODS else None
        if pages is None:
            raise ValueError(f"{method} returns no pages")
        if pages == "cursor":
            while True:
                page = self.call(method, params)
                yield from page["data"]
                if not page.get("next"):
                    return
                params["cursor"] = page["next"]
        limit = params.get("limit", 100)
        start = params.get("start", 0)
        while True:
            page = self.call(method, {**params, "start": start, "limit": limit})
            rows = page if isinstance(page, list) else page["data"]
            yield from rows
            if len(rows) < limit or (isinstance(page, dict) and page.get("more") is False):
                return
            start += 1

    def _request(self, method: str, params: Dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{self._url}/api/{method}",
            data=json.dumps(params).encode(),
            headers={"Authorization": f"Bearer {self._api_key}", "Content-Type": "application/json"},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            raise _fault(method, error) from None
        except (OSError, ValueError) as error:
            raise PostriderError(f"{method} got no answer: {error}", method=method) from error


def _fault(method: str, error: urllib.error.HTTPError) -> PostriderError:
    try:
        body = json.loads(error.read())
    except (OSError, ValueError):
        body = {}
    if not isinstance(body, dict):
        body = {}
    retry_after = error.headers.get("Retry-After", "")
    return PostriderError(
        body.get("error", f"{method} got HTTP {error.code}"),
        method=method,
        code=body.get("code", 0),
        status=error.code,
        text=body.get("text"),
        retry_after=float(retry_after) if retry_after.replace(".", "", 1).isdigit() else None,
    )


def _changed_nothing(error: PostriderError) -> bool:
    return error.status == 429 or (error.text or {}).get("key") == "call.nothing_changed"
