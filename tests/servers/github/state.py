"""What the repository that the fake GitHub hosts is made of; plain values, changed in place."""

from __future__ import annotations

from dataclasses import dataclass, field

VIEWER = "github-actions[bot]"


@dataclass
class Asset:
    """A release's file. `state`: "starter" when its upload failed."""

    id: int
    name: str
    data: bytes
    created_at: str
    updated_at: str
    content_type: str = "application/octet-stream"
    label: str | None = None
    state: str = "uploaded"
    uploader: str = VIEWER


@dataclass
class Release:
    """A release. `created_at` is the commit's date, `published_at` None for a draft."""

    id: int
    tag: str
    created_at: str
    published_at: str | None
    draft: bool = False
    prerelease: bool = False
    author: str = "octocat"
    name: str | None = None
    body: str = ""
    assets: list[Asset] = field(default_factory=list)


@dataclass
class Edit:
    """What a comment said since then. `body`: None when a person deleted it from the history."""

    id: int
    body: str | None
    editor: str
    at: str


@dataclass
class Comment:
    """A comment on an issue or pull request. `edits`: newest first; the first change also notes what stood before."""

    id: int
    number: int
    body: str
    author: str
    created_at: str
    updated_at: str
    minimized: bool = False
    edits: list[Edit] = field(default_factory=list)

    @property
    def node_id(self) -> str:
        """The id that GraphQL knows; opaque to a client."""
        return f"IC_fake{self.id}"


@dataclass
class Run:
    """A workflow run. `fork`: of a fork's pull request."""

    id: int
    head_sha: str
    created_at: str
    head_branch: str
    fork: bool = False
    event: str = "push"
    attempt: int = 1
    conclusion: str = "success"


@dataclass
class Recording:
    """A workflow artifact, packed."""

    id: int
    name: str
    data: bytes
    run_id: int
    created_at: str
    expired: bool = False


@dataclass
class Pull:
    """A pull request."""

    number: int
    head_sha: str
    base_sha: str
    base_ref: str
    head_ref: str = "feature"
    fork: bool = False
    state: str = "open"


@dataclass
class CheckRun:
    """A check run of a commit. Annotations only ever grow. `app`: whose token made it."""

    id: int
    name: str
    head_sha: str
    started_at: str
    status: str = "queued"
    conclusion: str | None = None
    completed_at: str | None = None
    details_url: str | None = None
    external_id: str = ""
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, object]] = field(default_factory=list)
    app: str = "github-actions"
