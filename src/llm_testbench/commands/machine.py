"""What this machine can do for a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from llm_testbench.artifact.build import this_host
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import InputError
from llm_testbench.gateway.surroundings import trusted
from llm_testbench.local.weights import INSTALL, available
from llm_testbench.report.views.doctor import Fact
from llm_testbench.settings.model import Settings

_PROXY_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")


def machine_facts(settings: Settings, edges: Edges) -> tuple[Fact, ...]:
    """Names of variables only, never what they hold: it may be a secret."""
    return tuple(_facts(settings, edges))


def _facts(settings: Settings, edges: Edges) -> Iterator[Fact]:
    host = this_host()
    yield Fact("Python", "yes", f"{host['python']} on {host['platform']}")
    there = available()
    yield Fact("embedded model", "yes" if there else "no", "" if there else f"{INSTALL} installs it")
    writable = _is_writable(settings.output_dir)
    yield Fact("output folder", "yes" if writable else "no", "" if writable else "cannot be written: choose output_dir")
    proxies = [name for one in _PROXY_VARIABLES for name in (one, one.lower()) if edges.environ.get(name)]
    yield Fact("proxy", "note", ", ".join(proxies) or "none is set")
    yield _certificates(settings, edges.environ)


def _is_writable(path: Path) -> bool:
    """Without making anything: the nearest folder that exists decides."""
    while not path.exists() and path.parent != path:
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)


def _certificates(settings: Settings, environ: Mapping[str, str]) -> Fact:
    if settings.ca_bundle is not None:
        return Fact("trusted authorities", "note", "those of ca_bundle")
    try:
        found = trusted(environ)
    except InputError as error:
        return Fact("trusted authorities", "no", said=str(error))
    return Fact(
        "trusted authorities",
        "note",
        "of this machine" if found is not True else "those of Python's requests",
        found if isinstance(found, str) else "",
    )
