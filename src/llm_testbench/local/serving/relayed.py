"""Answers from a gateway behind this one, on the same machine."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

from llm_testbench.answer.model import Completion
from llm_testbench.gateway.body import Body
from llm_testbench.json_value import JSONObject
from llm_testbench.local.serving.answers import Answer, Refused, Said
from llm_testbench.local.serving.question import Question
from llm_testbench.local.serving.response import Response, as_error

_READ = 64 * 1024
_PATIENCE = 600.0  # seconds of silence; a small model on a busy machine may take minutes


class Relayed:
    """Passes requests on. `endpoint`: ends in /v1, http on this machine; `model`: what the one behind is called."""

    def __init__(self, endpoint: str, model: str) -> None:
        parts = urlsplit(endpoint)
        self._host, self._port, self._path = parts.hostname or "", parts.port, parts.path
        self._model = model

    @property
    def models(self) -> tuple[str, ...]:
        """The one behind."""
        return (self._model,)

    def answer(self, question: Question) -> Answer:
        """The whole answer, so that it can be written in another form."""
        body = {key: value for key, value in question.body.items() if key not in ("stream", "stream_options")}
        try:
            with closing(self._connection()) as connection:
                response = self._asked(connection, body)
                data = response.read()
        except (OSError, http.client.HTTPException) as error:
            return Refused(_unreachable(error))
        reader = Body(response.status)
        reader.feed(data)
        said = reader.result()
        if isinstance(said, Completion):
            return Said(said)
        kind = response.headers.get("Content-Type", "application/json")
        return Refused(Response(response.status, (("Content-Type", kind),), (data,)))

    def passed_on(self, question: Question) -> Response:
        """The answer as it comes, piece by piece."""
        connection = self._connection()
        try:
            response = self._asked(connection, question.body)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return _unreachable(error)
        kind = response.headers.get("Content-Type", "application/json")
        return Response(response.status, (("Content-Type", kind),), _pieces(connection, response), chunked=True)

    def _connection(self) -> http.client.HTTPConnection:
        # Not the package requests: a proxy named in the environment must not stand between.
        return http.client.HTTPConnection(self._host, self._port, timeout=_PATIENCE)

    def _asked(self, connection: http.client.HTTPConnection, body: JSONObject) -> http.client.HTTPResponse:
        headers = {"Content-Type": "application/json", "Connection": "close"}
        connection.request("POST", f"{self._path}/chat/completions", json.dumps(body).encode("ascii"), headers)
        return connection.getresponse()


def _pieces(connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> Iterator[bytes]:
    with closing(connection), response:
        while data := response.read1(_READ):
            yield data


def _unreachable(error: Exception) -> Response:
    words = (isinstance(error, OSError) and error.strerror) or type(error).__name__
    return as_error(502, f"the embedded model does not answer: {words}", "server_error")
