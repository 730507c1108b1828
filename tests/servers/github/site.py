"""Addresses of the fake GitHub."""

from __future__ import annotations

from dataclasses import dataclass

REPOSITORY_ID = 4_711
FORK_ID = 4_712


@dataclass(frozen=True)
class Site:
    """Where everything is. `url` is the API, `storage` the other server that downloads are redirected to."""

    url: str
    storage: str
    owner: str
    name: str

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner}/{self.name}"

    @property
    def repo(self) -> str:
        """The repository in the API."""
        return f"{self.url}/repos/{self.full_name}"

    @property
    def html(self) -> str:
        """The repository in a browser."""
        return f"{self.url}/{self.full_name}"

    @property
    def uploads(self) -> str:
        """The repository at the host of uploads."""
        return f"{self.url}/uploads/repos/{self.full_name}"

    @property
    def by_id(self) -> str:
        """The repository's address that does not change with its name; GitHub uses it in Link headers."""
        return f"{self.url}/repositories/{REPOSITORY_ID}"
