"""A real HTTP server on loopback that plays GitHub: REST, GraphQL, uploads, and the storage that it redirects to."""

from tests.servers.github.fake import FakeGitHub, Seen
from tests.servers.github.state import Asset, Comment, Pull, Recording, Release, Run

__all__ = ["Asset", "Comment", "FakeGitHub", "Pull", "Recording", "Release", "Run", "Seen"]
