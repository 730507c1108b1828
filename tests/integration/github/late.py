"""A connection that chance holds up."""

from __future__ import annotations

import random
import time
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter


class Late(HTTPAdapter):
    """Each request and each answer takes a while, which nobody can tell beforehand."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)

    def send(self, request: PreparedRequest, *more: Any, **options: Any) -> Response:
        time.sleep(self._chance.random() / 200)
        answer = super().send(request, *more, **options)
        time.sleep(self._chance.random() / 200)
        return answer
