"""The commands of `python -m scripts.release`, one step of the release workflow each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.release import agreement, assets, changelog, images, plan, publishing, registry, tree
from scripts.release.edges import Edges
from scripts.release.history import versions
from scripts.release.images import FLAVOURS
from scripts.release.plan import Plan, Tagged
from scripts.release.publishing import Base, ReleaseError
from scripts.release.tree import Digests
from scripts.release.version import Version, moving_tags, of_tag, parsed


@dataclass(frozen=True)
class Prepared:
    """The files that a release's commit changes, by path, and its notes."""

    files: Mapping[str, str]
    notes: str


def plan_release(edges: Edges) -> int:
    """Says what to release, and writes it as outputs of the step."""
    found = _planned(edges)
    edges.say(f"{found.state}: {found.version.tag if found.version else 'no release'} ({found.why})")
    edges.output(_outputs(edges, found))
    return 0


def prepare(edges: Edges, version: Version, previous: Version | None, date: str, digests: Digests | None) -> int:
    """Writes the files of the release into the checkout, and refuses them when they disagree."""
    before = next((one for one in edges.history.tags() if one.version == previous), None)
    if previous is not None and before is None:
        raise ReleaseError(f"there is no tag {previous.tag}: fetch all tags")
    made = _prepared(edges, version, before, date, digests)
    for path, text in made.files.items():
        (edges.root / path).write_text(text, "utf-8")
        edges.say(f"wrote {path}")
    return check(edges, version, version.tag, digests)


def check(edges: Edges, version: Version, tag: str, digests: Digests | None) -> int:
    """1 when something in the checkout does not name this version; a line each."""
    try:
        found = agreement.disagreements(version, edges.repository, tag, tree.read(edges.root), digests)
    except ValueError as error:
        raise ReleaseError(str(error)) from None
    for one in found:
        edges.say(f"refused: {one}")
    if not found:
        edges.say(f"all agree on {version}")
    return 1 if found else 0


def check_images(edges: Edges, version: Version, digests: Mapping[str, str]) -> int:
    """1 when an image that was pushed names another version, or lacks a platform."""
    refused = 0
    for flavour in FLAVOURS:
        image = images.reference(edges.repository, version, flavour, digests[flavour.target]).removeprefix("docker://")
        labels = images.labels(registry.described(edges.run, image))
        for one in agreement.label_disagreements(version, image, labels):
            edges.say(f"refused: {one}")
            refused = 1
    return refused


def publish(edges: Edges, version: Version, digests: Digests, dist: Path, baseline: Path) -> int:
    """Tag, draft, assets, publication, moving tags; 1 before any of it when something disagrees."""
    if check(edges, version, version.tag, digests):
        return 1
    files = tree.read(edges.root)
    found = assets.collected(edges.root, dist, baseline, version)
    github, history = edges.github(), edges.history
    head = history.head()
    commit = publishing.tag_release(github, Base(head, history.tree(head)), version, files)
    edges.say(f"{version.tag} is {commit}")
    page = publishing.draft(github, version, _notes(files))
    publishing.attach(github, page, found, edges.say)
    page = publishing.publish(github, page, version)
    edges.say(f"published: {page.url}")
    edges.say(f"moved: {publishing.names(publishing.move_tags(github, version, commit))}")
    return 0


def tag_images(edges: Edges, version: Version) -> int:
    """Moves the images' tags that follow versions; needs the release to be published."""
    published = publishing.published_versions(edges.github())
    if version not in published:
        raise ReleaseError(f"{version.tag} is not published yet: its images keep their own tags")
    name = images.image_name(edges.repository)
    for flavour in FLAVOURS:
        tags = images.later_tags(version, flavour, published)
        registry.tag(edges.run, f"{name}:{images.own_tag(version, flavour)}", [f"{name}:{tag}" for tag in tags])
        edges.say(f"{images.own_tag(version, flavour)}: {publishing.names(tags)}")
    return 0


def dry_run(edges: Edges) -> int:
    """All that a release of this commit would do; asks nobody and changes nothing."""
    tags = edges.history.tags()
    found = _decided(edges, tags, versions(tags))
    edges.say(f"plan: {found.state} ({found.why})")
    if found.version is None:
        return 0
    version = found.version
    placeholder = Digests(f"sha256:{'0' * 64}", f"sha256:{'0' * 64}")
    made = _prepared(edges, version, found.previous, edges.today(), placeholder)
    refused = agreement.disagreements(version, edges.repository, version.tag, made.files, placeholder)
    published = versions(tags)
    edges.say(f"version: {version}\n\nchangelog:\n\n{made.notes}")
    edges.say(f"commit: {', '.join(made.files)}, a child of {edges.history.head()} that only {version.tag} names")
    edges.say(f"git tags: {version.tag}, then {publishing.names(moving_tags(version, published))}")
    for flavour in FLAVOURS:
        later = publishing.names(images.later_tags(version, flavour, published))
        name = f"{images.image_name(edges.repository)}:{images.own_tag(version, flavour)}"
        edges.say(f"image: {name} ({', '.join(images.PLATFORMS)}), then {later}")
    for path in tree.ACTION_FLAVOURS:
        image, _, _ = tree.action_image(made.files[path]).partition("@")
        edges.say(f"{path}: {image}@, then the digest of the image when it is pushed")
    edges.say(f"assets: {', '.join(assets.names(edges.root, version))}")
    for one in refused:
        edges.say(f"refused: {one}")
    edges.say("checks: something disagrees" if refused else f"checks: all agree on {version}")
    return 1 if refused else 0


def _planned(edges: Edges) -> Plan:
    return _decided(edges, edges.history.tags(), publishing.published_versions(edges.github()))


def _decided(edges: Edges, tags: tuple[Tagged, ...], published: frozenset[Version]) -> Plan:
    history = edges.history
    if not history.whole():
        raise ReleaseError("the checkout lacks commits: fetch the whole history and all tags (fetch-depth: 0)")
    head = history.head()
    known = history.before(head, tags)
    before = plan.previous(known, published, head)
    commits = history.commits(before.parent if before else None, head)
    return plan.decide(head, known, before, versions(tags), commits)


def _outputs(edges: Edges, found: Plan) -> Mapping[str, str]:
    """Of a release that was begun, date and digests are its own."""
    outputs = {
        "image": images.image_name(edges.repository),
        "state": found.state,
        "version": str(found.version or ""),
        "tag": "",
        "date": edges.today(),
    }
    outputs |= {"digest": "", "code_digest": "", "previous": str(found.previous.version) if found.previous else ""}
    if found.version is None:
        return outputs
    outputs["tag"] = found.version.tag
    begun = next((one for one in edges.history.tags() if one.version == found.version), None)
    if begun is not None:
        texts = {path: edges.history.file(begun.sha, path) for path in (tree.CHANGELOG, *tree.ACTION_FLAVOURS)}
        section = changelog.newest(texts.pop(tree.CHANGELOG))
        names = {"default": "digest", "code": "code_digest"}
        outputs |= {
            names[tree.ACTION_FLAVOURS[path].target]: images.digest_of(tree.action_image(text))
            for path, text in texts.items()
        }
        outputs["date"] = section[1] if section else outputs["date"]
    return outputs


def _prepared(edges: Edges, version: Version, before: Tagged | None, date: str, digests: Digests | None) -> Prepared:
    """From what the checked-out commit holds, whatever an earlier step wrote over it: so it can be done again."""
    history = edges.history
    head = history.head()
    main = {path: history.file(head, path) for path in (tree.PACKAGE, tree.CHANGELOG)}
    then, previous = "", ""
    if before is not None:
        then, previous = (history.file(commit, tree.CHANGELOG) for commit in (before.parent, before.sha))
    commits = history.commits(before.parent if before else None, head)
    log = changelog.of_release(version, date, commits, main=main[tree.CHANGELOG], then=then, previous=previous)
    files = {tree.PACKAGE: tree.with_version(main[tree.PACKAGE], version), tree.CHANGELOG: str(log)}
    if digests is not None:
        files |= tree.action_files(edges.repository, version, digests)
    return Prepared(files, log.sections[0].text)


def _notes(files: Mapping[str, str]) -> str:
    return changelog.read(files[tree.CHANGELOG]).sections[0].text


def read_version(text: str) -> Version:
    """With or without `v`."""
    return of_tag(text) or parsed(text)
