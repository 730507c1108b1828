"""What a person can do when an endpoint or a model cannot be asked: one sentence for each kind of failure. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.gateway.retry import is_throttled

_NO_NAME = re.compile(r"name or service not known|name resolution|nodename|no address|getaddrinfo", re.IGNORECASE)


def remedy(failure: Failure, model: ModelOptions, *, better: str | None = None, listed: bool | None = None) -> str:
    """What to do about it, in our own words alone.

    `better`: a base URL, beside the model's, where a list of models was found. `listed`: whether the endpoint lists
    the model; None: it lists nothing.
    """
    if better is not None:
        return "an API answers below it: set endpoint to this address with /v1 at its end"
    if is_throttled(failure):
        return "the server is busy or the quota is spent: ask again later"
    match failure.outcome:
        case Outcome.AUTH:
            return _key(failure, model)
        case Outcome.NETWORK:
            return _network(failure)
        case Outcome.TIMEOUT:
            return "the server does not answer in time: look whether it still loads the model, or raise request_timeout"
        case Outcome.PROTOCOL:
            return _protocol(failure, model, listed=listed)
        case Outcome.REJECTED:
            return _UNKNOWN if listed is False else "even the plainest request is refused: see what the server says"
        case Outcome.SERVER:
            return "the server fails: look into its log, or ask again when the model is loaded"
        case _:
            return "the server answers, and not with a completion: look into its log"


_UNKNOWN = "the endpoint does not list this model: correct its id"
_NO_MODEL = re.compile(r"\b(model|deployment)\b", re.IGNORECASE)


def _key(failure: Failure, model: ModelOptions) -> str:
    if failure.status == 402:
        return "the account cannot pay: see its balance"
    if not model.api_key:
        return "no key was sent: set LLMTB_API_KEY, or api_key_env in the model's entry"
    return "the key is not accepted: renew it, or see whether it may use this model"


def _network(failure: Failure) -> str:
    said = failure.message
    if failure.lasting:
        return "TLS or a proxy bars the way: the words above say what to change"
    if said.startswith("the proxy: "):
        return "the proxy cannot reach it: see HTTPS_PROXY, or name the host in NO_PROXY"
    if _NO_NAME.search(said):
        return "no such host: correct endpoint, or see whether this machine resolves names"
    if "refused" in said.lower():
        return "nothing listens there: start the server, or correct host and port of endpoint"
    return "the server cannot be reached: see host and port of endpoint, and whether a proxy is needed"


def _protocol(failure: Failure, model: ModelOptions, *, listed: bool | None) -> str:
    if failure.status is not None and 300 <= failure.status < 400:
        return "set the address that it redirects to as endpoint"
    if listed is False:
        return _UNKNOWN
    if failure.status == 404 and listed:
        return "the model is listed, and cannot chat: name another one"
    if failure.status == 404 and _NO_MODEL.search(failure.message) and "HTML page" not in failure.message:
        return "the server does not know this model: correct its id"
    if not urlsplit(model.endpoint).path.rstrip("/").endswith("/v1"):
        return "no API is at this address: endpoint most often ends in /v1"
    return "no API is at this address: correct endpoint; it is what stands before /chat/completions"
