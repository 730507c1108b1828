"""Users and repositories as GitHub's answers hold them."""

from __future__ import annotations

import zlib
from typing import Any

from tests.servers.github.site import FORK_ID, REPOSITORY_ID, Site

JSONObject = dict[str, Any]

LONG_AGO = "2020-01-01T00:00:00Z"

_OF_USER = ("followers", "subscriptions", "orgs", "repos", "received_events")
_PLAIN = (
    *("contributors", "deployments", "downloads", "events", "forks", "hooks", "languages", "merges"),
    *("stargazers", "subscribers", "subscription", "tags", "teams"),
)
_TEMPLATED = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "statuses_url": "/statuses/{sha}",
    "trees_url": "/git/trees{/sha}",
}


def user(site: Site, login: str) -> JSONObject:
    """A user, or a bot when the login says so."""
    bot = login.endswith("[bot]")
    url = f"{site.url}/users/{login}"
    return {
        "login": login,
        "id": zlib.crc32(login.encode()),
        "node_id": f"{'BOT' if bot else 'U'}_fake{login.removesuffix('[bot]')}",
        "avatar_url": f"{site.url}/avatars/{login}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{site.server}/apps/{login.removesuffix('[bot]')}" if bot else f"{site.server}/{login}",
        **{f"{'organizations' if one == 'orgs' else one}_url": f"{url}/{one}" for one in _OF_USER},
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "events_url": f"{url}/events{{/privacy}}",
        "type": "Bot" if bot else "User",
        "site_admin": False,
    }


def minimal_repository(site: Site, *, fork: bool = False, private: bool = False) -> JSONObject:
    """The repository, or somebody's fork of it, as part of another answer."""
    owner = "contributor" if fork else site.owner
    full_name = f"{owner}/{site.name}"
    url = f"{site.url}/repos/{full_name}"
    return {
        "id": FORK_ID if fork else REPOSITORY_ID,
        "node_id": f"R_fake{FORK_ID if fork else REPOSITORY_ID}",
        "name": site.name,
        "full_name": full_name,
        "owner": user(site, owner),
        "private": private,
        "html_url": f"{site.server}/{full_name}",
        "description": None,
        "fork": fork,
        "url": url,
        **{f"{one}_url": f"{url}/{one}" for one in _PLAIN},
        **{key: url + path for key, path in _TEMPLATED.items()},
    }


def full_repository(site: Site, *, default_branch: str, private: bool) -> JSONObject:
    """The repository as the answer to the question for it."""
    return {
        **_repository(site, default_branch=default_branch, private=private),
        "network_count": 0,
        "subscribers_count": 0,
    }


def pull_repository(site: Site, *, fork: bool, default_branch: str, private: bool) -> JSONObject:
    """The repository at one end of a pull request."""
    return _repository(site, fork=fork, default_branch=default_branch, private=private)


def _repository(site: Site, *, default_branch: str, private: bool, fork: bool = False) -> JSONObject:
    minimal = minimal_repository(site, fork=fork, private=private)
    return {
        **minimal,
        "clone_url": f"{minimal['html_url']}.git",
        "git_url": f"git://localhost/{minimal['full_name']}.git",
        "ssh_url": f"git@localhost:{minimal['full_name']}.git",
        "svn_url": minimal["html_url"],
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "default_branch": default_branch,
        "archived": False,
        "disabled": False,
        **{f"has_{one}": True for one in ("issues", "projects", "wiki", "pages", "downloads", "discussions")},
        **dict.fromkeys(("forks", "forks_count", "open_issues", "open_issues_count", "size"), 0),
        **dict.fromkeys(("stargazers_count", "watchers", "watchers_count"), 0),
        **dict.fromkeys(("pushed_at", "created_at", "updated_at"), LONG_AGO),
        "visibility": "private" if private else "public",
    }
