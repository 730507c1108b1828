"""What requests to GitHub share: which authorities are trusted."""

from __future__ import annotations

from pathlib import Path

import requests

from llm_testbench.gateway.surroundings import from_environment


def session_for(api_url: str, ca_bundle: Path | None = None) -> requests.Session:
    """A session that trusts `ca_bundle`, or else the authorities that the environment names, or else the system's."""
    session = requests.Session()
    # The session itself looks up the proxy of each address; the certificates it would not find under every name.
    session.verify = str(ca_bundle) if ca_bundle else from_environment(api_url).verify
    return session
