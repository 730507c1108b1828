"""Addresses of the fake GitHub."""

from __future__ import annotations

from dataclasses import dataclass

REPOSITORY_ID = 4_711
FORK_ID = 4_712


@dataclass(frozen=True)
class Site:
    """Where everything is. `url` is the API, `storage` the other server that downloads are redirected to.

    `pages`: what a browser is shown; `upload_to`: where assets are uploaded; empty: at the API's own address.
    """

    url: str
    storage: str
    owner: str
    name: str
    pages: str = ""
    upload_to: str = ""

    @property
    def server(self) -> str:
        """What a browser is shown."""
        return self.pages or self.url

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
        return f"{self.server}/{self.full_name}"

    @property
    def uploads(self) -> str:
        """The repository at the host of uploads."""
        return f"{self.upload_to or f'{self.url}/uploads'}/repos/{self.full_name}"

    @property
    def by_id(self) -> str:
        """The repository's address that does not change with its name; GitHub uses it in Link headers."""
        return f"{self.url}/repositories/{REPOSITORY_ID}"
